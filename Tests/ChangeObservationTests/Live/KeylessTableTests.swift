import ChangeObservation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@Suite("Observing tables without a key, and table-valued functions", .blocking)
struct KeylessTableTests {
  struct Line: TableModel, Equatable {
    @Column var level: Int
    @Column var tags: JSON<[String]> = []
  }

  let db: Database

  init() throws {
    db = try Database.temporary(models: [Line.self])
    try db.insert([Line(level: 1, tags: ["a"]), Line(level: 1, tags: ["a"])])
  }

  @Test("a query of a table without a key gives a new result after each commit that changes it")
  func query() async throws {
    var results = db.observe(Line.where { $0.$level > 0 }.order(by: \.$level).limit(3))
      .makeAsyncIterator()
    #expect(try await results.next()?.map(\.level) == [1, 1])
    try await db.insert([Line(level: 3), Line(level: 2), Line(level: 0)])
    #expect(try await results.next()?.map(\.level) == [1, 1, 2])
    try await db.run(Line.update { $0.$level += 4 }.where { $0.$level == 1 })
    #expect(try await results.next()?.map(\.level) == [2, 3, 5])
    try await db.execute("DELETE FROM Line WHERE level = 2")
    #expect(try await results.next()?.map(\.level) == [3, 5, 5])
  }

  @Test("changes of all tables report its rows by their rowids", .needs(.preUpdateHook))
  func changes() async throws {
    var changes = db.changes().makeAsyncIterator()
    try await db.run(Line.delete())
    let rows = try #require(await changes.next()?["Line"]?.rows)
    #expect(rows.map(\.kind) == [.deleted, .deleted])
    #expect(rows.map(\.keyValues) == [[1], [2]])
    #expect(rows[0].old("level") == 1)
  }

  @Test("a query that joins a function gives a new result when the table of its arguments changes")
  func function() async throws {
    let query = Query { (line: Columns<Line>, tag: Columns<JSONElement<String>>) in
      From(line)
      Join(jsonEach(line.$tags).as(tag))
      GroupBy(tag.$value)
      OrderBy(tag.$value)
      Select(tag.$value, line.count())
    }
    var results = db.observe(query).makeAsyncIterator()
    #expect(try await results.next()?.map { "\($0)" } == [#"("a", 2)"#])
    try await db.insert(Line(level: 2, tags: ["a", "b"]))
    #expect(try await results.next()?.map { "\($0)" } == [#"("a", 3)"#, #"("b", 1)"#])
  }
}
