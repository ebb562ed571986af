import Foundation
import SQLCore
import TestRun
import Testing

@Suite("Functions in Swift", .blocking)
struct ScalarFunctionTests {
  private let db: Database

  init() throws {
    db = try Database.temporary()
    try db.function("rot13", argumentCount: 1, .deterministic) { arguments in
      guard case .text(let text) = try arguments[0] else { return try arguments[0] }
      return .text(rot13(text))
    }
  }

  @Test("rot13 turns text and keeps other values, in SELECT and in INSERT")
  func rot13InInsert() throws {
    try db.execute("CREATE TABLE word (plain TEXT, turned TEXT)")
    for word in ["this", "is", "only", "a", "test"] {
      try db.execute("INSERT INTO word VALUES (\(word), rot13(\(word)))")
    }
    let turned = try db.rows("SELECT turned FROM word ORDER BY rowid").map { $0[0] }
    #expect(turned == ["guvf", "vf", "bayl", "n", "grfg"])
    #expect(try db.rows("SELECT rot13(plain) FROM word ORDER BY rowid").map { $0[0] } == turned)
    let others: [DatabaseValue] = [1, 1.5, .blob(Data([1])), nil]
    for other in others { #expect(try db.row("SELECT rot13(\(other))")?[0] == other) }
  }

  @Test("a function is typed by the signature of its closure")
  func typed() throws {
    try db.function("none") { 42 }
    try db.function("repeated") { (text: String, count: Int) in
      String(repeating: text, count: count)
    }
    try db.function("maybe") { (number: Int?) in number.map { $0 + 1 } }
    try db.function("mixed") { (a: Bool, b: Double, c: Data, d: [UInt8]) -> Double in
      (a ? 1 : 0) + b + Double(c.count) + Double(d.count)
    }
    let row = try db.row(
      """
      SELECT none(), repeated('ab', 3), maybe(NULL), maybe(1), mixed(1, 0.5, x'0102', x''),
        repeated('a' || char(0), 2)
      """)
    #expect(row?.values == [42, "ababab", nil, 2, 3.5, "a\u{0}a\u{0}"])
    // Functions of one name are distinguished by their number of arguments.
    try db.function("none") { (number: Int) in number }
    #expect(try db.row("SELECT none(), none(7)")?.values == [42, 7])
  }

  @Test("a wrong type or number of arguments is an error that names the argument")
  func wrongArguments() throws {
    try db.function("half") { (number: Int8) in number / 2 }
    func message(_ sql: SQL) -> String? {
      #expect(throws: DatabaseError.self) { try db.rows(sql) }?.message
    }
    #expect(message("SELECT half('x')") == "argument 1: expected INTEGER, found TEXT")
    #expect(
      message("SELECT half(NULL)")
        == "argument 1: expected INTEGER, found NULL; an optional type would accept it")
    #expect(message("SELECT half(128)") == "argument 1: 128 cannot be read as Int8")
    #expect(message("SELECT half(1, 2)") == "wrong number of arguments to function half()")
    try db.function("nan") { Double.nan }
    #expect(message("SELECT nan()")?.contains("cannot be stored") == true)
  }

  @Test("functions can be replaced and removed")
  func removal() throws {
    #expect(try db.row("SELECT rot13('a')")?[0] == "n")
    try db.function("rot13") { (text: String) in text + "!" }
    #expect(try db.row("SELECT rot13('a')")?[0] == "a!")
    try db.removeFunction("ROT13", argumentCount: 1)
    let error = #expect(throws: DatabaseError.self) { try db.row("SELECT rot13('a')") }
    #expect(error?.message == "no such function: rot13")
    try db.removeFunction("never there", argumentCount: nil)
    #expect(try db.row("SELECT 1")?[0] == 1)
  }

  @Test(
    "views take only innocuous functions, and indexes only deterministic ones")
  func flags() throws {
    try db.function("plain") { (n: Int) in n }
    try db.function("pure", [.deterministic, .innocuous]) { (n: Int) in n }
    try db.function("harmless", .innocuous) { (n: Int) in n }
    try db.function("direct", .directOnly) { (n: Int) in n }
    try db.execute("CREATE TABLE t (n INTEGER); INSERT INTO t VALUES (1)")
    for (name, isAllowed) in [
      ("plain", false), ("direct", false), ("pure", true), ("harmless", true),
    ] {
      try db.execute(
        "CREATE VIEW \(identifier: "view_" + name) AS SELECT \(identifier: name)(n) FROM t")
      if isAllowed {
        #expect(try db.row("SELECT * FROM \(identifier: "view_" + name)")?[0] == 1)
      } else {
        let error = #expect(throws: DatabaseError.self) {
          try db.row("SELECT * FROM \(identifier: "view_" + name)")
        }
        #expect(error?.message.hasPrefix("unsafe use of \(name)()") == true)
        #expect(error?.message.contains("the flag .innocuous") == true)
      }
    }
    try db.execute("CREATE TABLE u (n INTEGER, m INTEGER DEFAULT (plain(1)))")
    let refused = #expect(throws: DatabaseError.self) {
      try db.execute("INSERT INTO u (n) VALUES (1)")
    }
    #expect(refused?.message.contains("registered with the flag .innocuous") == true)
    try db.execute("CREATE INDEX i ON t (pure(n))")
    let error = #expect(throws: DatabaseError.self) {
      try db.execute("CREATE INDEX j ON t (harmless(n))")
    }
    #expect(error?.message.contains("non-deterministic") == true)
  }

  @Test("a thrown error is the statement's error with its message, and the statement is undone")
  func throwing() throws {
    struct Broken: Error, CustomStringConvertible { let description = "it is broken, “truly”" }
    try db.function("fail", argumentCount: nil) { _ in throw Broken() }
    try db.function("refuse", argumentCount: nil) { _ in
      throw DatabaseError(code: .constraint, message: "refused")
    }
    try db.function("silent", argumentCount: nil) { _ in
      throw DatabaseError(code: .full, message: "")
    }
    try db.execute("CREATE TABLE t (n INTEGER)")
    let error = #expect(throws: DatabaseError.self) {
      try db.execute("INSERT INTO t VALUES (1), (fail(1, 2))")
    }
    #expect(error?.message == "it is broken, “truly”")
    #expect(error?.code == .error)
    #expect(error?.sql == "INSERT INTO t VALUES (1), (fail(1, 2))")
    #expect(try db.row("SELECT count(*) FROM t")?[0] == 0)
    let refused = #expect(throws: DatabaseError.self) { try db.row("SELECT refuse()") }
    #expect(refused?.code == .constraint)
    #expect(refused?.message == "refused")
    // The error code of a full disk, thrown by a function, does not roll the transaction back.
    try db.write { tx in
      try tx.execute("INSERT INTO t VALUES (1)")
      #expect(throws: DatabaseError.self) { try tx.row("SELECT silent()") }
    }
    #expect(try db.row("SELECT count(*) FROM t")?[0] == 1)
  }

  @Test("a function registered on a database is on every connection, also on later ones")
  func pool() throws {
    let db = try Database.temporary(configuration: .with { $0.maximumReaders = 3 })
    let before = Holding(readerOf: db)
    try db.function("answer") { 42 }
    // The first reader is held, so this access opens another one.
    #expect(try db.row("SELECT answer()")?[0] == 42)
    #expect(try db.write { try $0.row("SELECT answer()")?[0] } == 42)
    before.end()
    let held = [Holding(readerOf: db), Holding(readerOf: db)]
    #expect(try db.row("SELECT answer()")?[0] == 42)
    held.forEach { $0.end() }
    try db.removeFunction("answer", argumentCount: 0)
    for _ in 0..<3 { #expect(throws: DatabaseError.self) { try db.row("SELECT answer()") } }
    #expect(throws: DatabaseError.self) { try db.write { try $0.row("SELECT answer()") } }
  }

  @Test("a function is available in asynchronous reads, streams and shared writes")
  func asynchronous() async throws {
    try await db.execute("CREATE TABLE t (n INTEGER)")
    try db.function("later") { 7 }
    #expect(try await db.row("SELECT later()")?[0] == 7)
    #expect(try await db.read(on: .background) { try $0.row("SELECT later()")?[0] } == 7)
    try db.function("after") { 8 }
    #expect(try await db.write { try $0.row("SELECT after()")?[0] } == 8)
    try db.function("streamed") { 6 }
    var streamed: [DatabaseValue] = []
    for try await row in db.stream("SELECT streamed()") { streamed += row.values }
    #expect(streamed == [6])
    try db.function("alone") { 9 }
    #expect(try await db.write(alone: true) { try $0.row("SELECT alone()")?[0] } == 9)
  }

  @Test("a function may run statements on its connection, but not through its database")
  func reentering() throws {
    try db.execute("CREATE TABLE t (n INTEGER); INSERT INTO t VALUES (1), (2), (3)")
    try db.function("count_of", argumentCount: 1) { arguments in
      guard
        let row = try arguments.connection.row(
          "SELECT count(*) FROM t WHERE n <= \(try arguments.get(Int.self, at: 0))")
      else { return nil }
      return row.values[0]
    }
    #expect(try db.rows("SELECT count_of(n) FROM t").map { $0[0] } == [1, 2, 3])
    try db.function("again") { [weak db] () -> Int in
      try db?.row("SELECT 1")?.get(at: 0) ?? 0
    }
    let error = #expect(throws: DatabaseError.self) { try db.row("SELECT again()") }
    #expect(error?.message.contains("accessed from inside") == true)
    #expect(try db.row("SELECT 1")?[0] == 1)
  }

  @Test("a function cannot remove itself from its connection while it runs")
  func removedWhileRunning() throws {
    let connection = try Connection()
    try connection.function("gone", argumentCount: 0) { arguments in
      try arguments.connection.removeFunction("gone", argumentCount: 0)
      return 1
    }
    let error = #expect(throws: DatabaseError.self) { try connection.row("SELECT gone()") }
    #expect(error?.message.contains("due to active statements") == true)
    // Through the database the removal takes effect at the next access.
    let db = db
    try db.function("vanish") { [weak db] () -> Int in
      try db?.removeFunction("vanish", argumentCount: 0)
      return 5
    }
    #expect(try db.row("SELECT vanish()")?[0] == 5)
    #expect(throws: DatabaseError.self) { try db.row("SELECT vanish()") }
  }

  @Test("a value prepared from a constant argument is made once per statement")
  func prepared() throws {
    final class Pattern { init(_ text: String) { self.text = text }; let text: String }
    let made = Shared(0)
    try db.function("begins", argumentCount: 2) { arguments in
      let pattern = try arguments.prepared(at: 1) { value in
        made.change { $0 += 1 }
        return Pattern(try value.read())
      }
      return .integer(try arguments.get(String.self, at: 0).hasPrefix(pattern.text) ? 1 : 0)
    }
    let sql: SQL = "SELECT begins(value, \("a")) FROM json_each(\("[\"ab\",\"b\",\"a\"]"))"
    #expect(try db.rows(sql).map { $0[0] } == [1, 0, 1])
    #expect(made.current == 1)
  }

  @Test("the closure is released with the connection and on replacement")
  func released() throws {
    final class Token: Sendable {}
    weak var first: Token?
    weak var second: Token?
    do {
      let connection = try Connection()
      let tokens = (Token(), Token())
      (first, second) = tokens
      try connection.function("held") { [token = tokens.0] in withExtendedLifetime(token) { 1 } }
      try connection.function("held") { [token = tokens.1] in withExtendedLifetime(token) { 2 } }
      #expect(try connection.row("SELECT held()")?[0] == 2)
    }
    #expect(first == nil)
    #expect(second == nil)
  }

  @Test("names and argument counts that SQLite does not allow are refused")
  func names() throws {
    for name in ["", String(repeating: "a", count: 256), "a\u{0}b"] {
      let error = #expect(throws: DatabaseError.self) { try db.function(name) { 1 } }
      #expect(error?.code == .misuse)
    }
    for count in [-1, 128] {
      #expect(throws: DatabaseError.self) {
        try db.function("f", argumentCount: count) { _ in nil }
      }
    }
  }
}

private func rot13(_ text: String) -> String {
  String(
    decoding: text.utf8.map { byte -> UInt8 in
      switch byte {
      case 65...77, 97...109: byte + 13
      case 78...90, 110...122: byte - 13
      default: byte
      }
    }, as: UTF8.self)
}
