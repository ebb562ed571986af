import Apus
import Foundation
import Hummingbird
import ServiceLifecycle

/// A value that `DatabasePersistDriver` stores, as a row of the driver's table.
///
/// Add the model to those of the database: `models: [Post.self, PersistedValue.self]`.
public struct PersistedValue: Model, Sendable {
  /// The key.
  @PrimaryKey public var key: String
  /// The value, as JSON.
  @Column public var value: String
  /// The time at which the value expires, in milliseconds since 1970; nil if the value never
  /// expires.
  @Column public var expiresAt: Int64?

  /// The key, by which rows are found.
  public var id: String { key }

  /// Makes a value from its columns.
  public init(key: String, value: String, expiresAt: Int64?) {
    self.key = key
    self.value = value
    self.expiresAt = expiresAt
  }

  /// The schema of the table.
  public static var schema: Schema<Self> { Index(\.$expiresAt) }
}

/// A persist driver of Hummingbird: a store of keys and values, such as sessions. It keeps them in
/// a table of the database, so processes that open the same file share the store.
///
/// ```swift
/// let db = try Database(path: "blog.sqlite", models: [Post.self, PersistedValue.self])
/// let persist = DatabasePersistDriver(db)
/// app.addServices(persist)                 // deletes what has expired
/// try await persist.set(key: "session 4711", value: user.id, expires: .seconds(3_600))
/// ```
///
/// HummingbirdAuth can keep its sessions in this store: `SessionMiddleware(storage: persist)`. Each
/// method runs one statement in one transaction. Values are stored as JSON. A value that has
/// expired is not returned. A process that runs the driver as a service deletes it later. The times
/// are those of the system clock, because all processes share this clock.
public struct DatabasePersistDriver: PersistDriver {
  private let database: Database
  private let tidyInterval: Duration
  private let now: @Sendable () -> Int64

  /// Makes a driver for a database with the model `PersistedValue`.
  ///
  /// - Parameter tidyInterval: The time between two deletions of expired values.
  public init(_ database: Database, tidyInterval: Duration = .seconds(600)) {
    self.init(database, tidyInterval: tidyInterval) {
      Int64(Date().timeIntervalSince1970 * 1_000)
    }
  }

  init(_ database: Database, tidyInterval: Duration, now: @escaping @Sendable () -> Int64) {
    self.database = database
    self.tidyInterval = tidyInterval
    self.now = now
  }

  /// Stores a value under a new key. Throws `PersistError.duplicate` if the key has a value.
  public func create(
    key: String, value: some Codable & Sendable, expires: Duration?
  ) async throws {
    let now = now()
    let row = PersistedValue(
      key: key, value: try Self.json(value), expiresAt: Self.end(of: expires, from: now))
    let insert = PersistedValue.insert(row)
      .onConflictUpdate(\.$key) {
        $0.$value = $0.new.$value
        $0.$expiresAt = $0.new.$expiresAt
      } where: {
        $0.$expiresAt <= now
      }
    guard try await database.run(insert) == 1 else { throw PersistError.duplicate }
  }

  /// Stores a value under a key. If `expires` is nil and the key has an expiry time that has not
  /// passed, the key keeps this time.
  public func set(key: String, value: some Codable & Sendable, expires: Duration?) async throws {
    let now = now()
    let (text, end) = (try Self.json(value), Self.end(of: expires, from: now))
    try await database.execute(
      """
      INSERT INTO PersistedValue (key, value, expiresAt) VALUES (\(key), \(text), \(end))
      ON CONFLICT (key) DO UPDATE SET value = excluded.value,
        expiresAt = coalesce(excluded.expiresAt, iif(expiresAt > \(now), expiresAt, NULL))
      """)
  }

  /// Returns the value of a key; nil if the key has no value, or an expired one. Throws
  /// `PersistError.invalidConversion` if the value is of another type.
  public func get<Object: Codable & Sendable>(
    key: String, as type: Object.Type
  ) async throws -> Object? {
    try await getWithTTL(key: key, as: type)?.object
  }

  /// Returns the value of a key, and the time until it expires.
  public func getWithTTL<Object: Codable & Sendable>(
    key: String, as type: Object.Type
  ) async throws -> (object: Object, ttl: Duration?)? {
    let now = now()
    guard let row = try await database.find(PersistedValue.self, key),
      row.expiresAt.map({ $0 > now }) ?? true
    else { return nil }
    do {
      let object = try JSONDecoder().decode(type, from: Data(row.value.utf8))
      return (object, row.expiresAt.map { .milliseconds($0 - now) })
    } catch is DecodingError {
      throw PersistError.invalidConversion
    }
  }

  /// Removes a key and its value.
  public func remove(key: String) async throws {
    try await database.run(PersistedValue.where { $0.$key == key }.delete())
  }

  /// Counts one use of a key, for rate limits. Returns the number of uses in the present period of
  /// the key, and the time until the period ends. One statement does all of this, so that no use is
  /// lost if several processes count at the same time.
  ///
  /// ```swift
  /// let uses = try await persist.count("login \(address)", per: .seconds(60))
  /// guard uses.count <= 5 else {
  ///   throw HTTPError(.tooManyRequests, headers: [.retryAfter: "\(uses.ttl.components.seconds + 1)"])
  /// }
  /// ```
  ///
  /// A period begins with the first use after the previous period has ended. `get` returns the
  /// count as an `Int`. If the key has an integer that never expires, this use is added to the
  /// integer, and a period begins with it. Throws `PersistError.invalidConversion` if the key has a
  /// value of another type, and leaves this value as it is.
  public func count(_ key: String, per period: Duration) async throws -> (count: Int, ttl: Duration)
  {
    let now = now()
    let end = Self.end(of: period, from: now)
    let row = try await database.write { tx in
      try tx.fetch(
        (Int, Int64).self,
        """
        INSERT INTO PersistedValue (key, value, expiresAt) VALUES (\(key), '1', \(end))
        ON CONFLICT (key) DO UPDATE SET
          value = iif(expiresAt <= \(now), '1', CAST(value AS INTEGER) + 1),
          expiresAt = iif(expiresAt > \(now), expiresAt, excluded.expiresAt)
          WHERE expiresAt <= \(now) OR json_type(value) = 'integer'
        RETURNING CAST(value AS INTEGER), expiresAt
        """)
    }.first
    guard let row else { throw PersistError.invalidConversion }
    return (row.0, .milliseconds(row.1 - now))
  }

  /// Deletes expired values at intervals, until the service shuts down.
  public func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        // An error is ignored. For example, another process may hold the write lock, because it is
        // deleting the expired values itself.
        try? await deleteExpired()
        try? await Task.sleep(for: tidyInterval)
      }
    }
  }

  /// Deletes all values that have expired, in portions, so that no transaction is long.
  func deleteExpired() async throws {
    let now = now()
    let expired = PersistedValue.where { $0.$expiresAt <= now }.limit(1_000)
    while try await database.run(expired.delete()) == 1_000 {}
  }

  private static func json(_ value: some Encodable) throws -> String {
    String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
  }

  private static func end(of duration: Duration?, from now: Int64) -> Int64? {
    duration.map { duration in
      let (seconds, attoseconds) = duration.components
      // At most about 31 years, so that the sum below cannot overflow.
      let bounded = min(max(seconds, 0), 1_000_000_000)
      return now + bounded * 1_000 + attoseconds / 1_000_000_000_000_000
    }
  }
}
