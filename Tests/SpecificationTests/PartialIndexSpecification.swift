import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

private enum Kind: String, ColumnValue { case personal, work }

private struct Note: Model {
  @PrimaryKey var id: Int
  @Column var sentAt: Int
  @Column var readAt: Int?
  @Column var isPinned: Bool
  @Column var isHidden: Bool?
  @Column var kind: Kind

  static var schema: Schema<Note> {
    Index(\.$sentAt, name: "unread") { $0.$readAt == nil }
    Index(\.$readAt, name: "read") { $0.$readAt != nil }
    Index(\.$sentAt, name: "pinned") { $0.$isPinned == true }
    Index(\.$sentAt, name: "hidden") { $0.$isHidden == true }
    Index(\.$sentAt, name: "work") { $0.$kind == .work }
  }
}

@Suite("Partial indexes")
struct PartialIndexSpecification {
  private let db: Database

  init() throws {
    db = try Specification.database(models: [Note.self])
    try db.insert(
      (1...400).map {
        Note(
          id: $0, sentAt: 1_000 - $0, readAt: $0 % 100 == 0 ? nil : $0, isPinned: $0 % 100 == 1,
          isHidden: $0 % 100 == 2 ? true : nil, kind: $0 % 100 == 3 ? .work : .personal)
      })
  }

  private func expect(
    _ query: TableQuery<Note, Note>, _ condition: String, _ index: String?, _ ids: [Int],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let sql = try query.sql
    #expect(
      sql.text.hasSuffix(" WHERE \(condition) ORDER BY \"sentAt\""), sourceLocation: sourceLocation)
    let plan = try db.explain(query).details
    #expect(
      plan.first == index.map { "SCAN Note USING INDEX \($0)" }, "\(plan)",
      sourceLocation: sourceLocation)
    #expect(try db.fetch(query).map(\.id) == ids, sourceLocation: sourceLocation)
  }

  @Test("an index with a condition on nil serves the query with the same condition")
  func null() throws {
    try expect(
      Note.where { $0.$readAt == nil }.order(by: \.$sentAt), #""readAt" IS NULL"#, "unread",
      [400, 300, 200, 100])
    let variable: Int? = nil
    try expect(
      Note.where { $0.$readAt == variable }.order(by: \.$sentAt), #""readAt" IS NULL"#, "unread",
      [400, 300, 200, 100])
  }

  @Test("an index with a condition on values that are not nil serves the same condition")
  func notNull() throws {
    let query = Note.where { $0.$readAt != nil && $0.$readAt > 398 }
    #expect(try query.sql.text.hasSuffix(#" WHERE "readAt" IS NOT NULL AND "readAt" > ?"#))
    #expect(try db.explain(query).details == ["SEARCH Note USING INDEX read (readAt>?)"])
    #expect(try db.fetch(query).map(\.id) == [399])
  }

  @Test("an index with a condition on a Bool serves ==, isTrue and a variable")
  func bools() throws {
    let pinned = [301, 201, 101, 1]
    let text = #""isPinned" = 1"#
    let variable = true
    for query in [
      Note.where { $0.$isPinned == true }, Note.where { $0.$isPinned.isTrue },
      Note.where { $0.$isPinned == variable },
    ] {
      try expect(query.order(by: \.$sentAt), text, "pinned", pinned)
    }
    try expect(
      Note.where { $0.$isHidden.isTrue }.order(by: \.$sentAt), #""isHidden" IS 1"#, "hidden",
      [302, 202, 102, 2])
    let others = Note.where { $0.$isPinned.isFalse }
    #expect(try others.sql.text.hasSuffix(#" WHERE "isPinned" = 0"#))
    #expect(try db.explain(others).details == ["SCAN Note"])
    #expect(try db.count(others) == 396)
    #expect(try db.count(Note.where { $0.$isHidden.isFalse }) == 0)
    #expect(try db.count(Note.where { $0.$isHidden != true }) == 396)
  }

  @Test("an index with a condition on another value serves a query with that value bound")
  func enumeration() throws {
    let query = Note.where { $0.$kind == .work }.order(by: \.$sentAt)
    #expect(try query.sql.text.hasSuffix(#" WHERE "kind" = ? ORDER BY "sentAt""#))
    let (ids, steps) = try db.readWithoutTransaction { connection in
      let statement = try connection.prepare(query.sql)
      var ids: [Int] = []
      while try statement.step() { ids.append(try statement.get(at: 0)) }
      return (ids, try statement.count(of: .fullScanSteps))
    }
    #expect(ids == [303, 203, 103, 3])
    #expect(steps < 10)
  }

  @Test("a parameter of a prepared query stays bound, and has one statement for nil and a value")
  func prepared() throws {
    let query = try db.prepare { (readAt: SQLParameter<Int?>, isPinned: SQLParameter<Bool>) in
      Note.where { $0.$readAt == readAt && $0.$isPinned == isPinned }.select(\.$id)
    }
    for call in [query(nil, false), query(101, true)] {
      #expect(try call.sql.text.hasSuffix(#" WHERE "readAt" IS ? AND "isPinned" = ?"#))
    }
    #expect(try db.fetch(query(nil, false)) == [100, 200, 300, 400])
    #expect(try db.fetch(query(101, true)) == [101])
  }
}
