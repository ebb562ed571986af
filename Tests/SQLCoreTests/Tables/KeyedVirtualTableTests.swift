import Foundation
import SQLCore
import TestRun
import Testing

/// Words and their counts: rows without rowids, kept in a dictionary.
private final class WordCounts: KeyedVirtualTable {
  let schema: String
  private let rows: Shared<[String: DatabaseValue]>
  private let events: Shared<[String]>
  private var before: [String: DatabaseValue] = [:]

  init(
    _ rows: Shared<[String: DatabaseValue]>, _ events: Shared<[String]> = Shared([]),
    schema: String = "CREATE TABLE x (word TEXT PRIMARY KEY, count INTEGER) WITHOUT ROWID"
  ) {
    self.rows = rows
    self.events = events
    self.schema = schema
  }

  func bestIndex(_ query: IndexQuery) -> IndexPlan? {
    let key = query.constraints.firstIndex {
      $0.column == 0 && $0.comparison == .equal && $0.isUsable
    }
    guard let key else { return IndexPlan() }
    return IndexPlan(
      choice: .init(number: 1), arguments: [.init(constraint: key, isChecked: true)], cost: 1,
      rowCount: 1, isUnique: true)
  }

  func open() -> any VirtualTableCursor { Cursor(rows.current) }

  private func row(_ row: borrowing Arguments) throws -> (String, DatabaseValue) {
    (try row.get(String.self, at: 0), try row[1])
  }

  func insert(_ row: borrowing Arguments) throws {
    let (word, count) = try self.row(row)
    guard rows.current[word] == nil else {
      throw DatabaseError(code: .constraint, message: "\(word) is there")
    }
    events.change { $0.append("insert \(word)") }
    rows.change { $0[word] = count }
  }

  func update(key: DatabaseValue, _ row: borrowing Arguments) throws {
    let (word, count) = try self.row(row)
    events.change { $0.append("update \(key) to \(word)") }
    guard case .text(let old) = key else { throw CancellationError() }
    rows.change {
      $0[old] = nil
      $0[word] = count
    }
  }

  func delete(key: DatabaseValue) throws {
    events.change { $0.append("delete \(key)") }
    guard case .text(let word) = key else { throw CancellationError() }
    rows.change { $0[word] = nil }
  }

  func begin() { before = rows.current }
  func rollback() {
    let old = before
    rows.change { $0 = old }
  }

  private final class Cursor: VirtualTableCursor {
    private let all: [(key: String, value: DatabaseValue)]
    private var rows: ArraySlice<(key: String, value: DatabaseValue)> = []
    init(_ rows: [String: DatabaseValue]) { all = rows.sorted { $0.key < $1.key } }

    func filter(_ plan: IndexPlan.Choice, _ arguments: borrowing Arguments) throws {
      rows = all[...]
      guard plan.number == 1 else { return }
      let word = try arguments.get(String.self, at: 0)
      rows = rows.filter { $0.key == word }[...]
    }
    var isAtEnd: Bool { rows.isEmpty }
    func next() { rows.removeFirst() }
    func column(_ index: Int) -> DatabaseValue {
      guard let row = rows.first else { return nil }
      return index == 0 ? .text(row.key) : row.value
    }
  }
}

/// A table that conforms to one protocol and declares a schema for the other.
private final class Mismatched: WritableVirtualTable {
  let schema = "CREATE TABLE x (word TEXT PRIMARY KEY)\n WITHOUT\n rowid;"
  func open() -> any VirtualTableCursor { Numbers([]) }
  func insert(_ row: borrowing Arguments, rowID: Int64?) -> Int64 { 0 }
  func update(rowID: Int64, to newRowID: Int64, _ row: borrowing Arguments) {}
  func delete(rowID: Int64) {}
}

@Suite("Virtual tables WITHOUT ROWID")
struct KeyedVirtualTableTests {
  private let db: Database
  private let rows = Shared<[String: DatabaseValue]>([:])
  private let events = Shared<[String]>([])

  init() throws {
    db = try Database.temporary()
    let (rows, events) = (rows, events)
    try db.virtualTable("words", .created) { _ in WordCounts(rows, events) }
    try db.execute("CREATE VIRTUAL TABLE word USING words")
  }

  @Test("rows are inserted, updated and deleted by their key, which may change")
  func writing() throws {
    try db.execute("INSERT INTO word VALUES ('swift', 1), ('swallow', 2), ('martin', 3)")
    try db.execute("UPDATE word SET count = count + 10 WHERE word = 'swift'")
    try db.execute("UPDATE word SET word = 'house martin' WHERE word = 'martin'")
    try db.execute("DELETE FROM word WHERE count = 2")
    #expect(
      try db.rows("SELECT * FROM word").map(\.values)
        == [["house martin", 3], ["swift", 11]])
    #expect(
      events.current == [
        "insert swift", "insert swallow", "insert martin", "update 'swift' to swift",
        "update 'martin' to house martin", "delete 'swallow'",
      ])
    #expect(try db.row("SELECT count FROM word WHERE word = 'swift'")?[0] == 11)
    // Several rows, read while they are written.
    try db.execute("UPDATE word SET word = word || '!', count = -count")
    #expect(
      try db.rows("SELECT * FROM word").map(\.values)
        == [["house martin!", -3], ["swift!", -11]])
    try db.execute("DELETE FROM word")
    #expect(rows.current.isEmpty)
  }

  @Test("an error undoes the statement, and there is no rowid column")
  func errors() throws {
    try db.execute("INSERT INTO word VALUES ('swift', 1)")
    let error = #expect(throws: DatabaseError.self) {
      try db.execute("INSERT INTO word VALUES ('martin', 1), ('swift', 2)")
    }
    #expect(error?.message == "swift is there")
    #expect(rows.current.keys.sorted() == ["swift"])
    let noRowID = #expect(throws: DatabaseError.self) { try db.rows("SELECT rowid FROM word") }
    #expect(noRowID?.message == "no such column: rowid")
  }

  @Test("a schema that does not match the protocol is an error that says what to do")
  func schemas() throws {
    try db.virtualTable("mismatched", .eponymous) { _ in Mismatched() }
    let keyed = #expect(throws: DatabaseError.self) { try db.rows("SELECT * FROM mismatched") }
    #expect(keyed?.message.contains("conform to KeyedVirtualTable") == true)
    for (schema, message) in [
      ("CREATE TABLE x (word TEXT PRIMARY KEY, count)", "must end with WITHOUT ROWID"),
      ("CREATE TABLE x (word, count, PRIMARY KEY (word, count)) WITHOUT ROWID", "of one column"),
      ("CREATE TABLE x (word, count) WITHOUT ROWID", "of one column"),
    ] {
      let rows = rows
      try db.virtualTable("odd", .eponymous) { _ in WordCounts(rows, schema: schema) }
      let error = #expect(throws: DatabaseError.self) { try db.rows("SELECT * FROM odd") }
      #expect(error?.message.contains(message) == true, "\(String(describing: error))")
    }
  }

  @Test("reading the rowid throws if the cursor provides none")
  func noRowID() throws {
    final class Cursor: VirtualTableCursor {
      private var isFirst = true
      func filter(_ plan: IndexPlan.Choice, _ arguments: borrowing Arguments) { isFirst = true }
      var isAtEnd: Bool { !isFirst }
      func next() { isFirst = false }
      func column(_ index: Int) -> DatabaseValue { 5 }
    }
    final class Table: VirtualTable {
      let schema = "CREATE TABLE x (value)"
      func open() -> any VirtualTableCursor { Cursor() }
    }
    try db.virtualTable("plain", .eponymous) { _ in Table() }
    #expect(try db.row("SELECT value FROM plain")?[0] == 5)
    let error = #expect(throws: DatabaseError.self) { try db.row("SELECT rowid FROM plain") }
    #expect(error?.message == "the cursor of the virtual table does not implement `rowID`")
  }
}
