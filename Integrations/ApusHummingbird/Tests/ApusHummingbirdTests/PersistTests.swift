import Apus
import Hummingbird
import Synchronization
import Testing

@testable import ApusHummingbird

@Suite struct PersistTests {
  /// A clock that moves when a test says so.
  private final class Clock: Sendable {
    private let milliseconds = Atomic<Int64>(1_000_000)
    var now: Int64 { milliseconds.load(ordering: .relaxed) }
    func advance(by seconds: Int64) { milliseconds.add(seconds * 1_000, ordering: .relaxed) }
  }

  private struct Session: Codable, Equatable {
    var user: Int
    var name: String
  }

  private static func driver(
    _ db: Database, _ clock: Clock
  ) -> DatabasePersistDriver {
    DatabasePersistDriver(db, tidyInterval: .seconds(600)) { clock.now }
  }

  @Test func `A value is kept until it expires, is removed or is replaced`() async throws {
    let (db, clock) = (try Database.temporary(models: [PersistedValue.self]), Clock())
    let persist = Self.driver(db, clock)
    let ada = Session(user: 1, name: "Ada \"🦜\"")
    try await persist.create(key: "a", value: ada, expires: .seconds(10))
    #expect(try await persist.get(key: "a", as: Session.self) == ada)
    await #expect(throws: PersistError.duplicate) {
      try await persist.create(key: "a", value: 5, expires: nil)
    }
    await #expect(throws: PersistError.invalidConversion) {
      _ = try await persist.get(key: "a", as: Int.self)
    }
    clock.advance(by: 4)
    // Without an expiry of its own, a new value keeps that of the old one.
    try await persist.set(key: "a", value: "new", expires: nil)
    let value = try #require(try await persist.getWithTTL(key: "a", as: String.self))
    #expect(value.object == "new" && value.ttl == .seconds(6))
    clock.advance(by: 6)
    #expect(try await persist.get(key: "a", as: String.self) == nil)
    // What has expired is no duplicate, and leaves no expiry.
    try await persist.create(key: "a", value: 1, expires: .seconds(1))
    clock.advance(by: 2)
    try await persist.set(key: "a", value: 2, expires: nil)
    clock.advance(by: 1_000_000)
    #expect(try await persist.get(key: "a", as: Int.self) == 2)
    try await persist.set(key: "a", value: 3, expires: .seconds(Int64.max))
    #expect(try await persist.get(key: "a", as: Int.self) == 3)
    try await persist.remove(key: "a")
    try await persist.remove(key: "a")
    #expect(try await persist.get(key: "a", as: Int.self) == nil)
  }

  @Test func `Expired values are deleted, others stay`() async throws {
    let (db, clock) = (try Database.temporary(models: [PersistedValue.self]), Clock())
    let persist = Self.driver(db, clock)
    try await db.insert(
      (0..<2_500).map {
        PersistedValue(
          key: "\($0)", value: "1", expiresAt: clock.now + Int64($0 % 5 == 0 ? 2_000 : 0))
      })
    try await persist.set(key: "for ever", value: 1, expires: nil)
    try await persist.deleteExpired()
    #expect(try await db.count(PersistedValue.all) == 501)
    clock.advance(by: 3)
    try await persist.deleteExpired()
    #expect(try await db.fetch(PersistedValue.all).map(\.key) == ["for ever"])
  }

  @Test func `Uses are counted by period, and none is lost between processes`() async throws {
    let clock = Clock()
    let db = try Database.temporary(models: [PersistedValue.self])
    let path = try #require(db.path)
    // Another connection to the file writes as another process does.
    let other = try Database(path: path, models: [PersistedValue.self])
    let drivers = [Self.driver(db, clock), Self.driver(other, clock)]
    let counts = try await withThrowingTaskGroup(of: Int.self) { group in
      for use in 0..<100 {
        group.addTask { try await drivers[use % 2].count("ada", per: .seconds(60)).count }
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(counts == Set(1...100))
    #expect(try await drivers[0].get(key: "ada", as: Int.self) == 100)
    clock.advance(by: 59)
    #expect(try await drivers[1].count("ada", per: .seconds(60)) == (101, .seconds(1)))
    clock.advance(by: 1)
    #expect(try await drivers[0].count("ada", per: .seconds(60)) == (1, .seconds(60)))
    try await drivers[0].set(key: "ada", value: "text", expires: .seconds(1))
    await #expect(throws: PersistError.invalidConversion) {
      _ = try await drivers[0].count("ada", per: .seconds(60))
    }
    #expect(try await drivers[0].get(key: "ada", as: String.self) == "text")
  }

  @Test func `Without an expiry, integers are counted on, and other values stay`() async throws {
    let (db, clock) = (try Database.temporary(models: [PersistedValue.self]), Clock())
    let persist = Self.driver(db, clock)
    try await persist.set(key: "name", value: "Ada", expires: nil)
    await #expect(throws: PersistError.invalidConversion) {
      _ = try await persist.count("name", per: .seconds(60))
    }
    // The refused use has given the value no expiry, either.
    clock.advance(by: 1_000)
    #expect(try await persist.get(key: "name", as: String.self) == "Ada")
    try await persist.set(key: "uses", value: 4, expires: nil)
    #expect(try await persist.count("uses", per: .seconds(60)) == (5, .seconds(60)))
    clock.advance(by: 59)
    #expect(try await persist.count("uses", per: .seconds(60)) == (6, .seconds(1)))
    clock.advance(by: 1)
    #expect(try await persist.count("uses", per: .seconds(60)) == (1, .seconds(60)))
  }

  @Test func `Sessions are shared by the processes of a service`() async throws {
    let db = try Database.temporary(models: [PersistedValue.self])
    let first = DatabasePersistDriver(db)
    let second = DatabasePersistDriver(try Database(path: try #require(db.path)))
    try await first.set(key: "session", value: Session(user: 1, name: "Ada"), expires: .seconds(60))
    #expect(try await second.get(key: "session", as: Session.self)?.name == "Ada")
  }
}
