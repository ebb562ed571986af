import ApusHistory
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@Suite("Undo of changed keys, and the rows outside the history that refer to them")
struct ChangedKeysTests {
  struct Book: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var title: String

    static var schema: Schema<Book> { Logged() }
  }

  typealias Source = OutsideRowsTests.Source

  let db: Database

  init() throws { db = try .temporary(models: [Book.self]) }

  func history(_ source: Source) throws -> History {
    switch source {
    case .memory: try History(of: [Book.self], in: db)
    case .log: try History(of: [Book.self], inLogOf: db)
    }
  }

  func rows(_ sql: SQL) throws -> [[DatabaseValue]] { try db.rows(sql).map(\.values) }

  /// The books with their titles, and the title to which each page belongs.
  func content() throws -> [[DatabaseValue]] {
    try rows(
      """
      SELECT 'book', id, title FROM Book UNION ALL \
      SELECT 'page', Page.id, title FROM Page LEFT JOIN Book ON Book.id = book ORDER BY 1, 2
      """)
  }

  /// Creates a table outside the history whose rows refer to books.
  func createPages(_ actions: String) throws {
    try db.execute(
      SQL(
        unsafe: "CREATE TABLE Page (id INTEGER PRIMARY KEY, "
          + "book INTEGER DEFAULT 5 REFERENCES Book \(actions))"))
  }

  static let sources = Source.allCases

  @Test(
    "without an action for ON UPDATE, a referring row is a conflict, whatever ON DELETE says",
    arguments: sources, ["CASCADE", "SET NULL", "SET DEFAULT", "RESTRICT", "NO ACTION"])
  func noAction(_ source: Source, _ onDelete: String) throws {
    try createPages("ON DELETE \(onDelete)")
    try db.insert([Book(id: 1, title: "one"), Book(id: 5, title: "default")])
    let history = try history(source)
    try db.execute("UPDATE Book SET id = 9 WHERE id = 1")
    try db.execute("INSERT INTO Page VALUES (1, 9)")
    let before = try content()
    let error = #expect(throws: ChangeConflicts.self) { try history.undo() }
    #expect("\(try #require(error))".contains("a row of Page refers to it through book"))
    let found = try content()
    #expect(found == before)
    // Without the row, the undo and the redo succeed.
    try db.execute("DELETE FROM Page")
    let found2 = try history.undo()
    #expect(found2 != nil)
    let found3 = try rows("SELECT id FROM Book ORDER BY id")
    #expect(found3 == [[1], [5]])
    // The redo is refused for a row that refers to the former key.
    try db.execute("INSERT INTO Page VALUES (1, 1)")
    #expect(throws: ChangeConflicts.self) { try history.redo() }
    let found4 = try rows("SELECT book FROM Page")
    #expect(found4 == [[1]])
    try db.execute("DELETE FROM Page")
    let found5 = try history.redo()
    #expect(found5 != nil)
    let found6 = try rows("SELECT id FROM Book ORDER BY id")
    #expect(found6 == [[5], [9]])
  }

  @Test("RESTRICT for ON UPDATE is a conflict as well", arguments: sources)
  func restricted(_ source: Source) throws {
    try createPages("ON DELETE CASCADE ON UPDATE RESTRICT")
    try db.insert(Book(id: 1, title: "one"))
    let history = try history(source)
    try db.execute("UPDATE Book SET id = 9")
    try db.execute("INSERT INTO Page VALUES (1, 9)")
    #expect(throws: ChangeConflicts.self) { try history.undo() }
    let found = try content()
    #expect(found == [["book", 9, "one"], ["page", 1, "one"]])
  }

  @Test(
    "a key that changed together with the other columns is no deletion either", arguments: sources)
  func changedRow(_ source: Source) throws {
    try createPages("ON DELETE CASCADE")
    try db.insert(Book(id: 1, title: "one"))
    let history = try history(source)
    try db.execute("UPDATE Book SET id = 9, title = 'nine'")
    try db.execute("INSERT INTO Page VALUES (1, 9)")
    #expect(throws: ChangeConflicts.self) { try history.undo() }
    let found = try content()
    #expect(found == [["book", 9, "nine"], ["page", 1, "nine"]])
    // Also by a redo.
    try db.execute("DELETE FROM Page")
    try history.undo()
    try db.execute("INSERT INTO Page VALUES (1, 1)")
    #expect(throws: ChangeConflicts.self) { try history.redo() }
    let found2 = try content()
    #expect(found2 == [["book", 1, "one"], ["page", 1, "one"]])
  }

  @Test("a row that was inserted beside a deleted one is deleted with its rows", arguments: sources)
  func insertedBesideDeleted(_ source: Source) throws {
    try createPages("ON DELETE CASCADE ON UPDATE CASCADE")
    try db.insert(Book(id: 1, title: "one"))
    let history = try history(source)
    try db.write { tx in
      try tx.insert(Book(id: 2, title: "two"))
      try tx.run(Book.delete().where { $0.$id == 1 })
    }
    try db.execute("INSERT INTO Page VALUES (1, 2)")
    let found = try history.undo()
    #expect(found != nil)
    let found2 = try content()
    #expect(found2 == [["book", 1, "one"]])
  }

  @Test("each of several tables gets its own action, or none of them", arguments: sources)
  func severalTables(_ source: Source) throws {
    try createPages("ON DELETE CASCADE ON UPDATE CASCADE")
    try db.execute(
      """
      CREATE TABLE Wish (id INTEGER PRIMARY KEY,
        book INTEGER REFERENCES Book ON DELETE CASCADE ON UPDATE SET NULL);
      CREATE TABLE Loan (id INTEGER PRIMARY KEY, book INTEGER REFERENCES Book ON DELETE CASCADE)
      """)
    try db.insert(Book(id: 1, title: "one"))
    let history = try history(source)
    try db.execute("UPDATE Book SET id = 9")
    for table in ["Page", "Wish", "Loan"] {
      try db.execute("INSERT INTO \(identifier: table) VALUES (1, 9)")
    }
    let all: SQL = "SELECT Page.book, Wish.book, Loan.book FROM Page, Wish LEFT JOIN Loan"
    #expect(throws: ChangeConflicts.self) { try history.undo() }
    let found = try rows(all)
    #expect(found == [[9, 9, 9]])
    try db.execute("DELETE FROM Loan")
    try history.undo()
    let found2 = try rows(all)
    #expect(found2 == [[1, nil, nil]])
  }
}
