import Foundation
import Testing

@testable import SQLCore

@Suite("SQL with interpolation")
struct SQLTests {
  @Test("interpolated values become parameters, in order, and are never pasted")
  func binding() throws {
    let name = "'; DROP TABLE note; --"
    let sql: SQL = "UPDATE note SET name = \(name), n = \(7) WHERE x IS \(Int?.none)"
    #expect(sql.text == "UPDATE note SET name = ?, n = ? WHERE x IS ?")
    #expect(try sql.values == [.text(name), 7, nil])
    #expect(sql.description == sql.text)
  }

  @Test("values of every kind, and DatabaseValue, are bound")
  func kinds() throws {
    let sql: SQL = "\(true) \(1.5) \(Data([1])) \(DatabaseValue.text("a")) \(DatabaseValue.null)"
    #expect(sql.text == "? ? ? ? ?")
    #expect(try sql.values == [1, 1.5, .blob(Data([1])), "a", nil])
  }

  @Test("a piece of SQL inside another keeps its values in order")
  func pieces() throws {
    let condition: SQL = "n > \(2) AND n < \(5)"
    let sql: SQL = "SELECT \(1) WHERE \(condition) LIMIT \(3)"
    #expect(sql.text == "SELECT ? WHERE n > ? AND n < ? LIMIT ?")
    #expect(try sql.values == [1, 2, 5, 3])
    #expect(try ("a \(1)" as SQL + " b \(2)").values == [1, 2])
    var appended: SQL = "a"
    appended.append(" \(9)")
    #expect(appended.text == "a ?")
  }

  @Test("text made at run time has values by order or by name, which must be all of its parameters")
  func valuesOfText() throws {
    let connection = try Connection()
    let byOrder = SQL(unsafe: "SELECT ?, ?, ?", values: [33, "lulu", nil])
    #expect(try connection.row(byOrder)?.values == [33, "lulu", nil])
    #expect(try connection.row(SQL(unsafe: "SELECT ?2, ?1", values: [1, 2]))?.values == [2, 1])
    let byName = try SQL(
      unsafe: "SELECT :a, $b -- :c\n, ':d', @e, :a", values: [":a": 1, "$b": 2.5, "@e": "x"])
    #expect(byName.text == "SELECT ?, ? -- :c\n, ':d', ?, ?")
    #expect(try connection.row(byName)?.values == [1, 2.5, ":d", "x", 1])
    #expect(throws: DatabaseError.self) {
      try connection.row(SQL(unsafe: "SELECT ?, ?", values: [1]))
    }
    for (text, values, message): (String, [String: DatabaseValue], String) in [
      ("SELECT :a, :b", [":a": 1], "no value was given for the parameter :b"),
      ("SELECT :a", [":a": 1, ":b": 2], "there is no parameter :b"),
      ("SELECT ?", [:], "no value was given for the parameter ?"),
    ] {
      let error = #expect(throws: DatabaseError.self) { try SQL(unsafe: text, values: values) }
      #expect(error?.code == .range && error?.message == message)
    }
  }

  @Test("text made at run time is pasted only through the label `unsafe`")
  func unsafe() throws {
    let text = #"note"; DROP TABLE "note"#
    #expect(SQL(unsafe: "DELETE FROM \(text)").text == #"DELETE FROM note"; DROP TABLE "note"#)
    let pasted: SQL = "DELETE FROM \(unsafe: text)"
    #expect(try pasted.text == #"DELETE FROM note"; DROP TABLE "note"# && pasted.values.isEmpty)
    // Every other way makes a value or a quoted name of it; `Mistake.ofRawSQL` has what does not
    // compile.
    let values: SQL =
      "SELECT \(text), \(Optional(text)), \(DatabaseValue.text(text)), \(array: [text])"
    #expect(!values.text.contains("DROP"))
    #expect(values.text.hasPrefix("SELECT ?, ?, ?, "))
    #expect(try values.values.prefix(3) == [.text(text), .text(text), .text(text)])
    let inner: SQL = "n = \(text)"
    #expect(("SELECT \(inner)" as SQL).text == "SELECT n = ?")
    #expect(("SELECT 1 WHERE " as SQL + inner).text == "SELECT 1 WHERE n = ?")
    let names: SQL = "SELECT \(identifier: text), \(Identifier(text))"
    #expect(
      names.text == #"SELECT "note""; DROP TABLE ""note", "note""; DROP TABLE ""note""#)
    // SQLite reads the names as names.
    let connection = try Connection()
    try connection.execute("CREATE TABLE \(identifier: text) (\(Identifier(text)) TEXT)")
    try connection.execute("INSERT INTO \(identifier: text) VALUES (\(text))")
    #expect(
      try connection.value(String.self, "SELECT \(identifier: text) FROM \(identifier: text)")
        == text)
  }

  @Test("a value that cannot be stored throws when it is bound, before anything runs")
  func unstorable() throws {
    let connection = try Connection()
    try connection.execute("CREATE TABLE note (a, b)")
    let sql: SQL = "INSERT INTO note VALUES (\(1), \(Double.nan))"
    #expect(throws: ColumnValueError.self) { try sql.values }
    #expect(throws: ColumnValueError.self) { try connection.execute(sql) }
    #expect(throws: ColumnValueError.self) { try connection.rows(sql) }
    #expect(throws: ColumnValueError.self) { try connection.prepare(sql) }
    #expect(try connection.value(Int.self, "SELECT count(*) FROM note") == 0)
    try connection.execute("INSERT INTO note VALUES (\(1), \(2.0))")
  }

  @Test("storing wraps an error of a user's type, and reading throws it unchanged")
  func otherError() throws {
    struct Failure: Error {}
    struct Unwilling: ColumnValue {
      static var storageClass: StorageClass { .text }
      init() {}
      init(_ cell: borrowing Cell) throws { throw Failure() }
      func databaseValue(as form: StoredForm) throws -> DatabaseValue { throw Failure() }
    }
    let error = #expect(throws: ColumnValueError.self) {
      try Connection().execute("SELECT \(Unwilling())")
    }
    #expect(error?.description == "Unwilling cannot be stored: Failure()")
    #expect(throws: Failure.self) { try Connection().fetch((Unwilling).self, "SELECT 1") }
  }

  @Test("U+0000 in SQL is refused, since SQLite would silently stop there")
  func zero() throws {
    let connection = try Connection()
    for sql: SQL in ["SELECT 1\u{0}, 2", "SELECT 1; SELECT '\u{0}'", "\u{0}"] {
      let error = #expect(throws: DatabaseError.self) { try connection.execute(sql) }
      #expect(error?.message == "SQL cannot hold U+0000; bind the text as a value")
      #expect(error?.sql?.contains("␀") == true)
    }
    #expect(throws: DatabaseError.self) {
      try connection.execute("CREATE TABLE \(identifier: "a\u{0}b") (n)")
    }
    #expect(try connection.value(String.self, "SELECT \("a\u{0}b")") == "a\u{0}b")
  }
}

@Suite("Identifiers")
struct IdentifierTests {
  static let hostile = [
    "", " ", "select", "a b", "a\"b", "\"", "\"\"", "a'b", "a;b", "a.b", "a]b", "a`b", "a--b",
    "/*", "é", "\u{1F426}", "\"\u{301}; DROP TABLE note; --", "a\r\nb", "?", ":a", "\\", "%s",
    "\u{301}", "\u{202E}x", "\"\u{FE0F}", "\u{200D}\"\u{200D}",
  ]

  @Test("hostile names are read back as names of tables and columns", arguments: hostile)
  func roundTrip(name: String) throws {
    let folder = try TemporaryFolder()
    let connection = try folder.connection()
    try connection.execute("CREATE TABLE note (n INTEGER)")
    let table = "t\(name)"
    try connection.execute("CREATE TABLE \(identifier: table) (\(Identifier("c\(name)")) INTEGER)")
    try connection.execute("INSERT INTO \(identifier: table) VALUES (\(7))")
    let row = try connection.row("SELECT \(identifier: "c\(name)") FROM \(identifier: table)")
    #expect(row?.values == [7])
    #expect(row?.columnNames.map { Array($0.utf8) } == [Array("c\(name)".utf8)])
    let tables = try connection.rows("SELECT name FROM sqlite_schema ORDER BY rowid")
    #expect(tables.map { $0[0] } == ["note", .text(table)])
  }

  @Test("a name is quoted, and quotation marks in it are doubled")
  func quoted() {
    #expect(Identifier("title").quoted == "\"title\"")
    #expect(Identifier("a\"b").description == "\"a\"\"b\"")
    let literal: Identifier = "x"
    #expect(literal.name == "x")
    #expect(Array(Identifier("\"\u{301}").quoted.utf8) == Array("\"\"\"\u{301}\"".utf8))
  }

  @Test("pieces of SQL are equal if their texts and all bound values are")
  func equality() {
    func find(_ name: String, _ ages: [Int]) -> SQL {
      "SELECT 1 FROM p WHERE name = \(name) AND age IN \(array: ages)"
    }
    #expect(find("a", [1, 2]) == find("a", [1, 2]))
    #expect(find("a", [1, 2]).hashValue == find("a", [1, 2]).hashValue)
    #expect(find("a", [1, 2]) != find("b", [1, 2]))
    #expect(find("a", [1, 2]) != find("a", [1, 3]))
    #expect(find("a", []) != SQL("SELECT 1"))
    #expect(SQL("SELECT \(1)") != SQL("SELECT \("1")"))
    #expect(SQL("SELECT \(zeroBlob: 2)") != SQL("SELECT \(zeroBlob: 3)"))
    // Swift's strings are equal here; the bytes are not.
    #expect(SQL("SELECT '\u{E9}'") != SQL("SELECT 'e\u{301}'"))
    #expect(Set([find("a", [1]), find("a", [1]), find("a", [2])]).count == 2)
  }
}
