#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The idempotency key of a write: a name that no other write has.
///
/// ```swift
/// let key: WriteKey = "order 4711"      // from the request that is handled
/// let new = WriteKey()                  // a new one, kept until it is answered
/// ```
/// The key may come from the client, such as an order number or the `Idempotency-Key` header of an
/// HTTP request. It then also protects against a client that sends its request twice. Two writes
/// with the same key count as one write, whatever their closures do.
public struct WriteKey: Hashable, Sendable, ExpressibleByStringInterpolation,
  CustomStringConvertible
{
  /// The text that is stored.
  public let text: String

  /// Makes a key from a text that is unique among the writes of the database.
  public init(_ text: String) { self.text = text }

  /// Makes a key from a literal.
  public init(stringLiteral text: String) { self.text = text }

  /// Makes a key from an id.
  public init(_ id: Unique64) { text = id.description }

  /// Makes a new key, from a new `Unique64`.
  public init() { self.init(Unique64()) }

  /// The text.
  public var description: String { text }
}

/// The result of a write with a key.
///
/// ```swift
/// let payment = try db.write(id: "payment-17") { tx in try tx.insert(post).id }
/// print(payment.isRepeated ? "was done before" : "done", payment.value)
/// ```
public struct KeyedWrite<Value: Sendable>: Sendable {
  /// The value that the closure returned in this call, or in the earlier call with the same key.
  public let value: Value
  /// Whether a write with this key had been committed before, so that this call changed nothing.
  public let isRepeated: Bool
}

extension KeyedWrite: Equatable where Value: Equatable {}

/// The functions that encode and decode the stored value of a write with a key.
struct KeptValue<Value> {
  let encode: (Value) throws -> String?
  let decode: (String?) throws -> Value
}

extension KeptValue where Value: Codable {
  /// Stores the value as JSON, as the only element of an array, because some JSON readers do not
  /// accept a single number.
  static var json: KeptValue {
    KeptValue(
      encode: { String(decoding: try JSONEncoder().encode([$0]), as: UTF8.self) },
      decode: { text in
        let values = try JSONDecoder().decode([Value].self, from: Data((text ?? "").utf8))
        guard let value = values.first else { throw DatabaseError.misuse("no value was kept") }
        return value
      })
  }
}

extension KeptValue<Void> {
  static var nothing: KeptValue { KeptValue(encode: { _ in nil }, decode: { _ in () }) }
}

extension Connection {
  /// The SQL that creates the table of the keys. The columns are documented, so other programs may
  /// rely on them.
  private static let creation: SQL = """
    CREATE TABLE IF NOT EXISTS "apus_write" (
      "id" TEXT PRIMARY KEY NOT NULL,
      "time" INTEGER NOT NULL,
      "value" TEXT
    ) STRICT, WITHOUT ROWID
    """

  /// Runs a closure, and stores its value with the key. If a write with the key was committed
  /// before, returns the stored value instead.
  func once<Value: Sendable>(
    _ key: WriteKey, _ kept: KeptValue<Value>, _ body: (Connection) throws -> Value
  ) throws -> KeyedWrite<Value> {
    if let row = try keptWrite(key) {
      do {
        return KeyedWrite(
          value: try kept.decode(try row.get(String?.self, at: 0)), isRepeated: true)
      } catch {
        throw DatabaseError(
          code: .mismatch,
          message: "the write \(key.text.debugDescription) was committed before, with a value that "
            + "is not of the type \(Value.self): \(error)")
      }
    }
    let value = try body(self)
    try execute(
      """
      INSERT INTO "apus_write" ("id", "time", "value") \
      VALUES (\(key.text), CAST(strftime('%s', 'now') AS INTEGER), \(try kept.encode(value)))
      """)
    return KeyedWrite(value: value, isRepeated: false)
  }

  /// Returns the row of an earlier write with this key, or nil. Creates the table if it does not
  /// exist, unless the schema policy forbids it.
  private func keptWrite(_ key: WriteKey) throws -> Row? {
    let sql: SQL = #"SELECT "value" FROM "apus_write" WHERE "id" = \#(key.text)"#
    do {
      return try row(sql)
    } catch let error as DatabaseError where error.message.hasPrefix("no such table") {
      if try use().configuration.schemaPolicy == .validated {
        throw DatabaseError(
          code: .notAuthorized,
          message: "a write with a key needs a table, which the schema policy `.validated` does "
            + "not create; run once: \(Self.creation.text)")
      }
      try execute(Self.creation)
      return try row(sql)
    }
  }

  func forgetKeys(olderThan age: Duration) throws -> Int {
    do {
      try execute(
        """
        DELETE FROM "apus_write" \
        WHERE "time" < CAST(strftime('%s', 'now') AS INTEGER) - \(age.components.seconds)
        """)
      return try changeCount
    } catch let error as DatabaseError where error.message.hasPrefix("no such table") {
      return 0
    }
  }
}
