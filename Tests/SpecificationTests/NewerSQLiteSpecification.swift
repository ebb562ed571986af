import Foundation
import QueryDSL
import SQLCore
import Testing

@testable import QueryFixtures

@Suite("What newer versions of SQLite have")
struct NewerSQLiteSpecification {
  struct Page: Model {
    @PrimaryKey var id: Int
    @Column var title: String
    @Column var tags: JSON<[String]>
    @Column var packed: Data?
  }

  let db: Database

  init() throws {
    db = try Specification.database(models: [Page.self])
    try db.insert([
      Page(id: 1, title: "61ff", tags: ["a", "b"], packed: nil),
      Page(id: 2, title: "00", tags: [], packed: nil),
    ])
  }

  /// Expects the SQL for the version that is needed, the rows if the library is as new, and an error
  /// that names the version for the one before it.
  private func expect<Value: ColumnValue & Equatable>(
    since version: (number: Int, text: String), _ sql: String, _ values: [Value],
    sourceLocation: SourceLocation = #_sourceLocation,
    _ expression: (Columns<Page>) -> SQLExpression<Value>
  ) throws {
    func query() -> TableQuery<Page, Value> { Page.order(by: \.$id).select(expression) }
    let newer = try SQLiteLibrary.$queryVersion.withValue(version.number) { try query().sql.text }
    #expect(newer.hasPrefix("SELECT \(sql) FROM"), "\(newer)", sourceLocation: sourceLocation)
    let error = #expect(throws: QueryError.self, sourceLocation: sourceLocation) {
      try SQLiteLibrary.$queryVersion.withValue(version.number - 1) { try query().sql }
    }
    #expect(
      error?.message.contains("needs SQLite \(version.text) or newer") == true,
      "\(error?.message ?? "")", sourceLocation: sourceLocation)
    if SQLiteLibrary.versionNumber >= version.number {
      #expect(try db.fetch(query()) == values, sourceLocation: sourceLocation)
    } else {
      #expect(throws: QueryError.self, sourceLocation: sourceLocation) { try db.fetch(query()) }
    }
  }

  @Test("unhex, JSONB, json_array_insert and ORDER BY in an aggregate name the version they need")
  func versions() throws {
    try expect(since: (3_041_000, "3.41.0"), #"unhex("title")"#, [Data([0x61, 0xFF]), Data([0])]) {
      $0.$title.unhex()
    }
    try expect(
      since: (3_041_000, "3.41.0"), #"unhex("title", ?)"#, [Data([0x61, 0xFF]), Data([0])]
    ) { $0.$title.unhex(ignoring: "-") }
    try expect(since: (3_045_000, "3.45.0"), #"json(jsonb("tags"))"#, [["a", "b"], []]) {
      $0.$tags.jsonb().json(as: [String].self).nonOptional()
    }
    try expect(
      since: (3_053_000, "3.53.0"), #"json_array_insert("tags", ?, json(?))"#,
      [["x", "a", "b"], ["x"]]
    ) { $0.$tags.insertElement("x", at: 0) }
    try expect(
      since: (3_044_000, "3.44.0"), #"group_concat("title", ? ORDER BY "title" DESC NULLS LAST)"#,
      ["61ff,00"]
    ) { $0.$title.groupConcat().order(by: $0.$title, .descending, nulls: .last) }
    try expect(
      since: (3_044_000, "3.44.0"),
      #"group_concat("title", ? ORDER BY "id") FILTER (WHERE "id" > ?)"#, ["00"]
    ) { $0.$title.groupConcat().order(by: $0.$id).filter($0.$id > 1) }
  }

  @Test("ORDER BY that follows no aggregate throws in every version")
  func misplacedOrder() throws {
    let error = #expect(throws: QueryError.self) {
      try Page.select { $0.$title.order(by: $0.$id) }.sql
    }
    #expect(error?.message.contains("must directly follow an aggregate") == true)
  }

  @Test("octets, fractions of seconds, and elements from the end need no newer version")
  func everyVersion() throws {
    #expect(try db.fetch(Page.order(by: \.$id).select { $0.$title.octetLength() }) == [4, 2])
    let last: [JSON<String>?] = try db.fetch(Page.order(by: \.$id).select { $0.$tags.json(at: -1) })
    #expect(last == [JSON("b"), nil])
    #expect(
      try Page.select { $0.$tags.json(at: -1, as: String.self) }.sql.values == [.text("$[#-1]")])
  }
}
