import Foundation
import SQLCore
import TestRun
import Testing

@Suite("Virtual tables in Swift")
struct VirtualTableTests {
  private let folder: TemporaryFolder
  private let db: Database

  init() throws {
    folder = try TemporaryFolder()
    db = try Database(path: folder.file())
  }

  @Test("an eponymous table is read without CREATE VIRTUAL TABLE")
  func eponymous() throws {
    try db.virtualTable("natural_numbers", .eponymous) { _ in NaturalNumbers() }
    let rows = try db.rows("SELECT value FROM natural_numbers LIMIT 5")
    #expect(rows.map { $0[0] } == [1, 2, 3, 4, 5])
    #expect(
      try db.rows("SELECT a.value FROM natural_numbers a, natural_numbers b LIMIT 3").count == 3)
    let error = #expect(throws: DatabaseError.self) {
      try db.execute("INSERT INTO natural_numbers VALUES (1)")
    }
    #expect(error?.message == "table natural_numbers may not be modified")
    #expect(throws: DatabaseError.self) {
      try db.execute("CREATE VIRTUAL TABLE n USING natural_numbers")
    }
  }

  @Test("constraints, order, limit and IN lists reach the cursor")
  func bestIndex() throws {
    let log = Shared<[String]>([])
    try db.virtualTable("logged", .eponymous) { _ in Logged(log) }
    let rows = try db.rows(
      "SELECT a FROM logged WHERE a >= \(3) AND b = 7 ORDER BY a DESC LIMIT 2 OFFSET 1")
    #expect(
      ["limit, offset", "offset, limit"].contains {
        log.current.contains("0 >= nil BINARY, 1 = 7 BINARY, \($0); 0 desc; used 3")
      })
    #expect(log.current.last == "plan 5 from 3 limit 3")
    #expect(rows.map { $0[0] } == [8, 7])
    log.change { $0 = [] }
    let list = try db.rows("SELECT a FROM logged WHERE a IN (2, 5, 9)")
    #expect(list.map { $0[0] } == [2, 5, 9])
    #expect(log.current.last == "list 2, 5, 9")
  }

  @Test("a created table takes arguments and writes, and other connections connect to it")
  func created() throws {
    let store = Store()
    try db.virtualTable("shelf", .created) { try Shelf($0, store) }
    try db.execute("CREATE VIRTUAL TABLE book USING shelf(title TEXT, pages INTEGER)")
    try db.write { tx in
      try tx.execute("INSERT INTO book VALUES ('Swifts', 320), ('Swallows', 280)")
      #expect(try tx.lastInsertRowID == 2)
      try tx.execute("INSERT INTO book (rowid, title) VALUES (7, 'Martins')")
      try tx.execute("UPDATE book SET pages = pages + 1 WHERE title = 'Swifts'")
      try tx.execute("UPDATE book SET rowid = 8 WHERE rowid = 7")
      try tx.execute("DELETE FROM book WHERE pages = 280")
    }
    let expected: [[DatabaseValue]] = [[1, "Swifts", 321], [8, "Martins", nil]]
    #expect(try db.rows("SELECT rowid, * FROM book").map(\.values) == expected)
    let taken = #expect(throws: DatabaseError.self) {
      try db.execute("INSERT INTO book (rowid, title) VALUES (1, 'x')")
    }
    #expect(taken?.code.primary == .constraint)
    #expect(taken?.message == "rowid 1 is taken (abort)")
    try db.execute("INSERT OR IGNORE INTO book (rowid, title) VALUES (1, 'x')")
    #expect(store.events.current.contains("created main.book: title TEXT, pages INTEGER"))
    #expect(store.events.current.filter { $0.hasPrefix("created") }.count == 1)
    // The writer created it, and a reader connected to it.
    #expect(store.events.current.contains("connected main.book"))
    let second = try folder.connection()
    #expect(throws: DatabaseError.self) { try second.rows("SELECT * FROM book") }
    try second.virtualTable("shelf", .created) { try Shelf($0, store) }
    #expect(try second.rows("SELECT rowid, * FROM book").map(\.values) == expected)

    try db.execute("ALTER TABLE book RENAME TO volume")
    try db.execute("DROP TABLE volume")
    #expect(store.events.current.contains("renamed to volume"))
    #expect(store.events.current.last == "destroyed")
  }

  @Test("a virtual table takes part in transactions and savepoints")
  func transactions() throws {
    let store = Store()
    let connection = try Connection()
    try connection.virtualTable("shelf", .created) { try Shelf($0, store) }
    try connection.execute("CREATE VIRTUAL TABLE book USING shelf(title)")
    #expect(throws: CancellationError.self) {
      try connection.transaction { tx in
        try tx.execute("INSERT INTO book VALUES ('a')")
        throw CancellationError()
      }
    }
    #expect(try connection.rows("SELECT * FROM book").isEmpty)
    try connection.transaction { tx in
      try tx.execute("INSERT INTO book VALUES ('a')")
      try? tx.savepoint { tx in
        try tx.execute("INSERT INTO book VALUES ('b')")
        throw CancellationError()
      }
      try tx.savepoint { tx in try tx.execute("INSERT INTO book VALUES ('c')") }
    }
    #expect(try connection.rows("SELECT title FROM book").map { $0[0] } == ["a", "c"])
    // A statement that fails halfway is undone as well.
    #expect(throws: DatabaseError.self) {
      try connection.execute("INSERT INTO book (rowid, title) VALUES (10, 'x'), (1, 'y')")
    }
    #expect(try connection.rows("SELECT title FROM book").map { $0[0] } == ["a", "c"])
    store.refusesCommits.change { $0 = true }
    let error = #expect(throws: DatabaseError.self) {
      try connection.execute("INSERT INTO book VALUES ('z')")
    }
    #expect(error != nil)
    #expect(try connection.rows("SELECT title FROM book").map { $0[0] } == ["a", "c"])
  }

  @Test("the arguments of a table-valued function are hidden columns")
  func tableFunctions() throws {
    try db.tableFunction("words", columns: ["word", "length"]) {
      (text: String, separator: String?) in
      text.split(separator: separator ?? " ").lazy.map {
        [.text(String($0)), .integer(Int64($0.count))]
      }
    }
    #expect(
      try db.rows("SELECT * FROM words('the swifts are back')").map(\.values)
        == [["the", 3], ["swifts", 6], ["are", 3], ["back", 4]])
    #expect(try db.rows("SELECT word FROM words('a,b', ',')").map { $0[0] } == ["a", "b"])
    #expect(
      try db.rows("SELECT word FROM words WHERE argument1 = 'x y'").map { $0[0] } == ["x", "y"])
    #expect(try db.row("SELECT argument2 FROM words('a', ';')")?[0] == ";")
    // From another table of a join, in either order.
    let joined = try db.rows(
      "SELECT word FROM words(j.value), json_each(\("[\"a b\",\"c\"]")) j ORDER BY word")
    #expect(joined.map { $0[0] } == ["a", "b", "c"])
    let missing = #expect(throws: DatabaseError.self) { try db.rows("SELECT * FROM words") }
    #expect(
      missing?.message
        == "argument 1: expected TEXT, found NULL; an optional type would accept it")
    #expect(throws: DatabaseError.self) { try db.rows("SELECT * FROM words('a', 'b', 'c')") }
    #expect(throws: DatabaseError.self) {
      try db.tableFunction("empty", columns: []) { [[DatabaseValue]]() }
    }
  }

  @Test("a virtual table is refused in views unless it is innocuous")
  func innocuous() throws {
    try db.virtualTable("plain", .eponymous) { _ in NaturalNumbers() }
    try db.virtualTable("harmless", .eponymous, isInnocuous: true) { _ in NaturalNumbers() }
    try db.execute("CREATE VIEW a AS SELECT * FROM plain; CREATE VIEW b AS SELECT * FROM harmless")
    let error = #expect(throws: DatabaseError.self) { try db.row("SELECT * FROM a") }
    #expect(error?.message == "unsafe use of virtual table \"plain\"")
    #expect(try db.row("SELECT * FROM b")?[0] == 1)
  }

  @Test(
    "an error of any method is the statement's error, with its message",
    arguments: [
      "make", "bestIndex", "open", "filter", "next", "column", "rowID",
    ])
  func throwing(method: String) throws {
    try db.virtualTable("failing", .eponymous) { _ in try Failing(method) }
    for _ in 0..<2 {
      let error = #expect(throws: DatabaseError.self) {
        try db.rows("SELECT rowid, value FROM failing")
      }
      #expect(error?.message == "\(method) failed")
    }
    #expect(try db.row("SELECT 1")?[0] == 1)
  }

  @Test("a table may run its own statements, and may be removed while it runs")
  func reenteringAndRemoval() throws {
    try db.execute("CREATE TABLE source (n INTEGER); INSERT INTO source VALUES (5), (6)")
    try db.virtualTable("mirror", .eponymous) { try Mirror($0, removes: false) }
    #expect(try db.rows("SELECT n FROM mirror").map { $0[0] } == [5, 6])
    #expect(try db.rows("SELECT n FROM mirror WHERE n = 6").map { $0[0] } == [6])
    let connection = try Connection()
    try connection.execute("CREATE TABLE source (n INTEGER); INSERT INTO source VALUES (5), (6)")
    try connection.virtualTable("mirror", .eponymous) { try Mirror($0, removes: true) }
    #expect(try connection.rows("SELECT n FROM mirror").map { $0[0] } == [5, 6])
    #expect(throws: DatabaseError.self) { try connection.rows("SELECT n FROM mirror") }
    try db.removeVirtualTable("mirror")
    #expect(throws: DatabaseError.self) { try db.rows("SELECT n FROM mirror") }
  }

  @Test("tables and cursors are released with the connection")
  func released() throws {
    let alive = Shared(0)
    do {
      let connection = try Connection()
      try connection.virtualTable("counted", .created) { _ in Counted(alive) }
      try connection.execute("CREATE VIRTUAL TABLE c USING counted")
      let statement = try connection.prepare("SELECT * FROM c")
      #expect(try statement.step())
      #expect(alive.current == 2)
    }
    #expect(alive.current == 0)
  }
}
