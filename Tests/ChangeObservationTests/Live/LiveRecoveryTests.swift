import Observation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import ChangeObservation

@MainActor
@Suite("Live objects after errors and refreshes")
struct LiveRecoveryTests {
  private struct Item: Model {
    @PrimaryKey var id: Int64
    @Column var size: Int
  }

  @Test("a table that is created later is loaded without a request")
  func laterTable() async throws {
    let db = try Database.temporary()
    let query = LiveQuery(Note.select(\.$title), in: db)
    let model = LiveModel(Note.self, 1, in: db)
    let raw = LiveQuery(sql: "SELECT title FROM Note", in: db)
    await until {
      query.phase.error != nil && model.phase.error != nil && raw.phase.error != nil
    }
    try await db.migrate([Note.self])
    await until { query.isLoaded && model.isLoaded && raw.isLoaded }
    try await db.insert(Note(title: "one"))
    await until { query.rows == ["one"] && model.model?.title == "one" && raw.rows.count == 1 }
    // A dropped table is an error again, and its rows are gone.
    try await db.execute("DROP TABLE Note")
    await until {
      query.phase.error != nil && model.phase.error != nil && raw.phase.error != nil
    }
    #expect(query.rows.isEmpty && model.model == nil && raw.rows.isEmpty)
    try await db.migrate([Note.self])
    try await db.insert(Note(title: "two"))
    await until { query.rows == ["two"] && model.model?.title == "two" && raw.rows.count == 1 }
    #expect(query.isLoaded && model.isLoaded && raw.isLoaded)
  }

  @Test("an unreadable value is an error until it is replaced")
  func badValue() async throws {
    let db = try Database.temporary()
    try await db.execute(
      """
      CREATE TABLE Item (id INTEGER PRIMARY KEY, size);
      INSERT INTO Item VALUES (1, 'large'), (2, 20)
      """)
    let query = LiveQuery(Item.order(by: \.$id).select(\.$size), in: db)
    let model = LiveModel(Item.self, 1, in: db)
    let other = LiveModel(Item.self, 2, in: db)
    await until { query.phase.error != nil && model.phase.error != nil && other.isLoaded }
    try await db.execute("UPDATE Item SET size = 10 WHERE id = 1")
    await until { query.isLoaded && model.isLoaded }
    #expect(query.rows == [10, 20] && model.model?.size == 10 && other.model?.size == 20)
    // The last rows stay while the error lasts.
    try await db.execute("UPDATE Item SET size = 'small' WHERE id = 1")
    await until { query.phase.error is ColumnValueError && model.phase.error != nil }
    #expect(query.rows == [10, 20] && model.model?.size == 10)
    // An equal result recovers as well.
    try await db.execute("UPDATE Item SET size = 10 WHERE id = 1")
    await until { query.isLoaded && model.isLoaded }
    try await db.execute("UPDATE Item SET size = 11 WHERE id = 1")
    await until { query.rows == [11, 20] && model.model?.size == 11 }
  }

  @Test("`refresh()` fetches what no commit reports, and returns when the result is shown")
  func refresh() async throws {
    let db = try Database.temporary()
    try await db.execute("CREATE TABLE Item (id INTEGER PRIMARY KEY, size)")
    try await db.execute("INSERT INTO Item VALUES (1, 10)")
    let factor = Lock<Int?>(1)
    struct NoFactor: Error {}
    try db.function("factor") { () throws -> Int in
      guard let factor = factor.withLock({ $0 }) else { throw NoFactor() }
      return factor
    }
    let live = LiveQuery(sql: "SELECT size * factor() AS n FROM Item", in: db)
    let model = LiveModel(Item.self, 1, in: db)
    await until { live.isLoaded && model.isLoaded }
    factor.withLock { $0 = 2 }
    await live.refresh()
    #expect(live.rows.map { $0.values } == [[20]])
    factor.withLock { $0 = nil }
    await live.refresh()
    #expect(live.phase.error != nil && live.rows.map { $0.values } == [[20]])
    factor.withLock { $0 = 3 }
    await live.refresh()
    #expect(live.isLoaded && live.rows.map { $0.values } == [[30]])
    // It returns without a change as well, also for several callers.
    let tasks = (0..<3).map { _ in Task { await live.refresh() } }
    for task in tasks { await task.value }
    await model.refresh()
    #expect(live.isLoaded && model.model?.size == 10)
  }

  @Test("a live query follows raw SQL with values, joins and groups")
  func rawSQL() async throws {
    let db = try Database.temporary(models: [Note.self, Tagging.self])
    try await db.insert([Note(title: "one"), Note(title: "two")])
    let weight = 0.5
    let live = LiveQuery(
      sql: """
        SELECT title, count(tag) AS tags FROM Note LEFT JOIN Tagging ON note = Note.id
          AND weight > \(weight) GROUP BY Note.id ORDER BY Note.id
        """, in: db)
    await until { live.isLoaded }
    #expect(live.rows.map { $0.values } == [["one", 0], ["two", 0]])
    try await db.insert([Tagging(note: 2, tag: "a"), Tagging(note: 2, tag: "b", weight: 0.1)])
    await until { live.rows.last.map { $0.values } == ["two", 1] }
    try await db.execute("UPDATE Tagging SET weight = 1")
    await until { live.rows.last.map { $0.values } == ["two", 2] }
    try await db.execute("DELETE FROM Note WHERE id = 2")
    await until { live.rows.count == 1 }
  }

  @Test("a live model with a composite key follows only its own row")
  func compositeKey() async throws {
    let db = try Database.temporary(models: [Note.self, Tagging.self])
    try await db.insert([Note(title: "one"), Note(title: "two")])
    try await db.insert([Tagging(note: 1, tag: "a"), Tagging(note: 2, tag: "a")])
    let live = LiveModel(Tagging.self, Tagging.ID(note: 2, tag: "a"), in: db)
    let query = LiveQuery(Tagging.where { $0.$tag == "a" }.order(by: \.$note), in: db)
    await until { live.isLoaded && query.isLoaded }
    #expect(live.model == Tagging(note: 2, tag: "a") && query.rows.count == 2)
    try await db.execute("UPDATE Tagging SET weight = 2 WHERE note = 2")
    await until { live.model?.weight == 2 && query.rows.last?.weight == 2 }
    try await db.execute("UPDATE Tagging SET weight = 3 WHERE note = 1")
    await until { query.rows.first?.weight == 3 }
    #expect(live.model?.weight == 2)
    #expect(query.rows.index(ofID: Tagging.ID(note: 2, tag: "a")) == 1)
    // A changed key makes another row.
    try await db.execute("UPDATE Tagging SET tag = 'b' WHERE note = 2")
    await until { live.model == nil && query.rows.count == 1 }
    #expect(live.isLoaded)
    try await db.insert(Tagging(note: 2, tag: "a", weight: 5))
    await until { live.model?.weight == 5 && query.rows.count == 2 }
    await live.refresh()
    #expect(live.model?.weight == 5)
  }
}
