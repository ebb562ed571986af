import QueryDSL
import SQLCore
import Testing

@testable import ChangeObservation

/// `deserialize` may bring other tables under the same `schema_version`.
@Suite("Live queries after deserialize", .needs(.preUpdateHook))
struct DeserializedSchemaTests {
  struct Word: Model {
    @PrimaryKey var id: Int64
    @Column var text: String
  }

  private func replaced(
    _ before: SQL, by after: SQL, _ body: (Database) async throws -> Void,
    then check: (Database) async throws -> Void
  ) async throws {
    let (db, other) = (
      try Database.inMemory(configuration: .relaxed), try Database.inMemory(configuration: .relaxed)
    )
    try await db.execute(before)
    try await other.execute(after)
    try await body(db)
    let bytes = try await other.writeWithoutTransaction { try $0.serialize() }
    try await db.writeWithoutTransaction { try $0.deserialize(bytes) }
    try await check(db)
  }

  private let binary: SQL = "CREATE TABLE Word (id INTEGER PRIMARY KEY, text TEXT NOT NULL)"
  private let noCase: SQL = """
    CREATE TABLE Word (id INTEGER PRIMARY KEY, text TEXT NOT NULL COLLATE NOCASE);
    INSERT INTO Word VALUES (1, 'a'), (2, 'B'), (3, 'c');
    """

  @Test("the order is that of the new table's collation")
  func order() async throws {
    let query = Word.order(by: \.$text).select(\.$text)
    var watch: QueryWatch<String>?
    try await replaced(binary, by: noCase) { db in
      watch = QueryWatch(LiveSource(query), in: db)
      _ = try await watch?.next()
      try await db.execute("INSERT INTO Word VALUES (7, 'x')")
      _ = try await watch?.update()
    } then: { db in
      _ = try await watch?.update()
      for (id, text) in [(4, "C"), (5, "A"), (6, "b")] {
        try await db.execute("INSERT INTO Word VALUES (\(id), \(text))")
        _ = try await watch?.update()
        // Sorted without regard to case, because equal texts may stand in any order in a fresh fetch.
        let rows = (watch?.rows.map { Array($0) } ?? []).map { $0.lowercased() }
        let fresh = try await db.fetch(query).map { $0.lowercased() }
        #expect(rows == fresh)
      }
    }
  }

  @Test("a value that equals only in the new table's collation wakes the query")
  func route() async throws {
    let query = Word.where { $0.$text == "a" }.select { $0.count() }
    var watch: QueryWatch<Int>?
    try await replaced(binary, by: noCase) { db in
      watch = QueryWatch(LiveSource(query), in: db)
      _ = try await watch?.next()
    } then: { db in
      _ = try await watch?.update()
      try await db.execute("INSERT INTO Word VALUES (4, 'A')")
      _ = try await watch?.update()
      #expect(watch?.rows?.first == 2)
    }
  }

  @Test("if the new content lacks the table, the result has no rows")
  func missing() async throws {
    let query = Word.order(by: \.$id).select(\.$text)
    var watch: QueryWatch<String>?
    try await replaced(noCase, by: "CREATE TABLE Other (x)") { db in
      watch = QueryWatch(LiveSource(query), in: db)
      _ = try await watch?.next()
      try await db.execute("INSERT INTO Word VALUES (7, 'x')")
      _ = try await watch?.update()
    } then: { db in
      let found = try await watch?.update()?.isEmpty
      #expect(found == true)
    }
  }
}
