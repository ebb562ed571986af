import Apus
import ApusAnalytics
import ApusHistory
import Foundation
import Testing

@Suite("Copies that follow the change log", .enabled(if: hasDuckDB))
struct FollowTests {
  private func isSame(_ test: TestDatabase) throws -> Bool {
    let (sales, stores) = (Sale.order(by: \.$id), Store.order(by: \.$id))
    return try test.analytics.database.fetch(sales) == test.db.fetch(sales)
      && test.analytics.database.fetch(stores) == test.db.fetch(stores)
  }

  @Test("inserts, updates, deletions, changed keys and raw SQL arrive")
  func update() throws {
    let test = try TestDatabase()
    defer { test.remove() }
    try test.insert(0..<30)
    try test.analytics.copy(Sale.self, Store.self, from: test.db)
    #expect(try test.analytics.update(from: test.db) == 0)
    try test.db.run(Sale.update { $0.$quantity += 5 }.where { $0.$id < 10 })
    try test.db.run(Sale.delete().where { $0.$id.isIn(10..<15) })
    try test.db.execute("UPDATE Sale SET id = id + 1000 WHERE id >= 25")
    try test.db.insert(Store(id: 1, name: "x", region: nil, size: .infinity))
    #expect(try !isSame(test))
    #expect(try test.analytics.update(from: test.db) == 16)
    #expect(try isSame(test))
    #expect(try test.analytics.update(from: test.db) == 0)
  }

  @Test("a table is copied again if the log no longer has what changed")
  func purged() throws {
    let test = try TestDatabase()
    defer { test.remove() }
    try test.insert(0..<10)
    try test.analytics.copy(Sale.self, Store.self, from: test.db)
    try test.insert(10..<12)
    try test.insert(12..<14)
    try test.db.log.purge(keeping: ChangeLog.Bounds(count: 1))
    #expect(try test.analytics.update(from: test.db) == 14)
    #expect(try isSame(test))
  }

  @Test("random transactions arrive")
  func random() throws {
    let test = try TestDatabase()
    defer { test.remove() }
    var values = RandomValues(random: SeededGenerator(seed: .random(in: .min ... .max)))
    try test.analytics.copy(Sale.self, Store.self, from: test.db)
    for _ in 0..<10 {
      for _ in 0..<values.below(4) {
        let sales = (0..<3).map { _ in values.sale(values.below(20)) }
        let id = values.below(20)
        try test.db.write { connection in
          for sale in sales { try connection.upsert(sale, onConflict: \.$id) }
          try connection.run(Sale.delete().where { $0.$id == id })
        }
      }
      try test.analytics.update(from: test.db)
      #expect(try isSame(test))
    }
  }

  @Test("following ends with its task, and queries see each commit after a while")
  func follow() async throws {
    let test = try TestDatabase()
    defer { test.remove() }
    try await test.analytics.copy(Sale.self, Store.self, from: test.db)
    let (analytics, db) = (test.analytics, test.db)
    let following = Task { try await analytics.follow(db) }
    try await db.write { try $0.insert(Store(id: 7, name: "seven", region: nil, size: nil)) }
    while try await analytics.database.count(Store.all) == 0 { await Task.yield() }
    following.cancel()
    try await following.value
  }

  @Test("a copy of a model without a log is not followed")
  func unlogged() throws {
    struct Plain: Model {
      @PrimaryKey var id: Int
    }
    let analytics = try Analytics()
    let db = try Database.inMemory(models: [Plain.self])
    try analytics.copy(Plain.self, from: db)
    #expect(throws: AnalyticsError.self) { try analytics.update(from: db) }
  }

  @Test("a copy whose log has ended throws until it is copied again, and the others are followed")
  func endedLog() throws {
    enum Logging {
      struct Note: Model {
        @PrimaryKey var id: Int
        static var schema: Schema<Note> { Logged() }
      }
    }
    struct Note: Model {
      @PrimaryKey var id: Int
      static var schema: Schema<Note> { NotLogged() }
    }
    let analytics = try Analytics()
    let db = try Database.inMemory(models: [Logging.Note.self, Store.self])
    try analytics.copy(Logging.Note.self, Store.self, from: db)
    try db.migrate([Note.self])
    try db.insert(Note(id: 1))
    let error = #expect(throws: AnalyticsError.self) { try analytics.update(from: db) }
    #expect(error?.description.contains("Note cannot be followed: its changes are no ") == true)
    try analytics.copy(Note.self, from: db)
    try db.insert(Store(id: 1, name: "x", region: nil, size: nil))
    #expect(try analytics.update(from: db) == 1)
  }
}
