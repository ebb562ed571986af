import Foundation
import QueryDSL
import SQLCore
import Testing

/// Rows that another program wrote into a table that is not STRICT.
@Suite("Bad rows, whose errors name table, column and key")
struct BadRowTests {
  enum Status: String, ColumnValue { case draft, published }

  struct Entry: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var title: String
    @Column var level: Int8
    @Column var status: Status
    @Column var score: Double?
    @Column var day: Date?
    @Column var flag: Bool?
    @Column var blob: Data?
    @Column var key: UUID?
    @Column var tags: JSON<[Int]>?
  }

  let connection: Connection

  init() throws {
    connection = try Connection()
    try connection.execute(
      """
      CREATE TABLE Entry (id INTEGER PRIMARY KEY, title, level, status, score, day, flag, blob,
        key, tags);
      INSERT INTO Entry (id, title, level, status)
        VALUES (1, 'a', 1, 'draft'), (2, 'b', 2, 'draft'), (3, 'c', 3, 'draft'),
          (4, 'd', 4, 'draft'), (5, 'e', 5, 'draft')
      """)
  }

  /// Writes a raw value into a column of the third row.
  func spoil(_ column: String, _ literal: String) throws {
    try connection.execute(
      "UPDATE Entry SET \(identifier: column) = \(unsafe: literal) WHERE id = 3")
  }

  @Test(
    "every way to read a model throws an error with the table, the column, the position and the key",
    arguments: [
      ("title", "NULL"), ("title", "7"), ("title", "x'00'"), ("title", "CAST(x'61ff' AS TEXT)"),
      ("level", "NULL"), ("level", "300"), ("level", "-129"), ("level", "1.5"), ("level", "'1'"),
      ("level", "9223372036854775807"), ("status", "NULL"), ("status", "'unknown'"),
      ("status", "'Draft'"), ("status", "1"), ("score", "'x'"), ("score", "x'00'"),
      ("score", "9007199254740993"), ("day", "'2020-01-01'"), ("day", "1.5"), ("flag", "2"),
      ("flag", "'true'"), ("blob", "'text'"), ("blob", "1"), ("key", "'no uuid'"),
      ("key", "'{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}'"), ("tags", "'[1,'"), ("tags", #"'["a"]'"#),
    ])
  func everywhere(_ column: String, _ literal: String) throws {
    try spoil(column, literal)

    func expectError(row: Int?, _ body: () throws -> Void) {
      let error = #expect(throws: ColumnValueError.self, performing: body)
      #expect(error?.table == "Entry" && error?.column == column && error?.row == row)
      #expect(error?.key == [3])
      #expect(
        error.map { "\($0)" }?.hasPrefix("Entry.\(column), row with the key 3: ") == true)
    }
    expectError(row: 2) { _ = try connection.fetch(Entry.order(by: \.$id)) }
    expectError(row: 0) { _ = try connection.fetch(Entry.where { $0.$id == 3 }) }
    expectError(row: 0) { _ = try connection.first(Entry.where { $0.$id >= 3 }) }
    expectError(row: 0) { _ = try connection.find(Entry.self, 3) }
    expectError(row: 2) { _ = try connection.fetch(Entry.self, "SELECT * FROM Entry ORDER BY id") }
    expectError(row: 2) { _ = try connection.fetch(Entry.select { ($0.$id, $0) }.order(by: \.$id)) }
    expectError(row: 2) {
      let join = Query { (one: Columns<Entry>, other: OptionalColumns<Entry>) in
        From(one)
        LeftJoin(other, on: one.$id.optional == other.$id)
        OrderBy(one.$id)
        Select(one.$id, other)
      }
      _ = try connection.fetch(join)
    }
    // The other rows can be read, and the connection still works.
    #expect(try connection.fetch(Entry.where { $0.$id != 3 }).count == 4)
    #expect(try connection.find(Entry.self, 4)?.title == "d")
  }

  @Test("a bad value of a selected column throws the same error alone, in a tuple and in a join")
  func columns() throws {
    try spoil("level", "300")

    func expectError(row: Int, key: [DatabaseValue]? = nil, _ body: () throws -> Void) {
      let error = #expect(throws: ColumnValueError.self, performing: body)
      #expect(error?.table == "Entry" && error?.column == "level" && error?.row == row)
      #expect(error?.reason == .invalid(expected: "Int8", found: "300"))
      #expect(error?.key == key)
    }
    // The key is not selected, and searched for.
    expectError(row: 2, key: [3]) {
      _ = try connection.fetch(Entry.select(\.$level).order(by: \.$id))
    }
    expectError(row: 2, key: [3]) {
      _ = try connection.fetch(Entry.select(\.$id, \.$level).order(by: \.$id))
    }
    expectError(row: 2, key: [3]) {
      _ = try connection.fetch(Entry.select(\.$title, \.$level, \.$id).order(by: \.$id))
    }
    expectError(row: 0, key: [3]) {
      _ = try connection.first(Entry.select(\.$level).where { $0.$id > 2 })
    }
    expectError(row: 2) {
      let join = Query { (one: Columns<Entry>, other: OptionalColumns<Entry>) in
        From(one)
        LeftJoin(other, on: one.$id.optional == other.$id)
        OrderBy(one.$id)
        Select(one.$title, other.$level)
      }
      _ = try connection.fetch(join)
    }
  }

  @Test("the error for an expression names the row, but no table")
  func expressions() throws {
    let error = #expect(throws: ColumnValueError.self) {
      try connection.fetch(Entry.select { ($0.$id, $0.$level + 126) }.order(by: \.$id))
    }
    #expect(error?.row == 1 && error?.table == nil)
    #expect(error?.column?.contains("level") == true)
  }

  @Test("U+0000 in a text is kept")
  func null() throws {
    try spoil("title", "CAST(x'610062' AS TEXT)")
    #expect(try connection.find(Entry.self, 3)?.title == "a\u{0}b")
    #expect(try connection.fetch(Entry.where { $0.$title == "a\u{0}b" }).map(\.id) == [3])
  }

  @Test("SQLite reports a column that the table lacks")
  func noColumn() throws {
    try connection.execute("ALTER TABLE Entry DROP COLUMN score")
    let error = #expect(throws: DatabaseError.self) { try connection.fetch(Entry.all) }
    // Newer versions quote the name, and say what it may have been meant for.
    #expect(error?.message.replacing("\"", with: "").hasPrefix("no such column: score") == true)
    #expect(throws: DatabaseError.self) { try connection.find(Entry.self, 1) }
  }
}
