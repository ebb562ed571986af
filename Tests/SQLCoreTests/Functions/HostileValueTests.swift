import Foundation
import SQLCore
import Testing

@Suite("Extreme values in Swift callbacks")
struct HostileValueTests {
  private static let values: [DatabaseValue] = [
    nil, .integer(.min), .integer(.max), -1, 0, .real(.infinity), .real(-.infinity), .real(1e308),
    .real(-0.0), "", "a\u{0}b", "\u{0}", .blob(Data()), .blob(Data([0, 255])),
    .text(String(repeating: "é", count: 10_000)), .invalidText(Data([0x61, 0xFF])),
  ]

  @Test(
    "functions, aggregates and table functions take and return every value unchanged",
    arguments: values)
  func functions(value: DatabaseValue) throws {
    let connection = try Connection()
    try connection.function("same", argumentCount: 1) { try $0[0] }
    try connection.aggregate("last", argumentCount: 1, initial: DatabaseValue.null) {
      (last: inout DatabaseValue, arguments) in
      last = try arguments[0]
    } result: {
      $0
    }
    try connection.tableFunction("one", columns: ["v"], arguments: ["w"]) { (_: Int?) in [[value]] }
    #expect(try connection.row("SELECT same(\(value))")?[0] == value)
    #expect(try connection.row("SELECT last(\(value))")?[0] == value)
    #expect(try connection.row("SELECT v FROM one")?[0] == value)
  }

  @Test("functions of narrow types return each value or throw, and never trap", arguments: values)
  func narrow(value: DatabaseValue) throws {
    let connection = try Connection()
    try connection.function("narrow") { (n: Int8) in n }
    try connection.function("unsigned") { (n: UInt64) in n }
    try connection.function("exact") { (n: Double) in n }
    for name in ["narrow", "unsigned", "exact"] {
      // The function returns the value or throws a DatabaseError, and does not trap.
      do {
        _ = try connection.row("SELECT \(identifier: name)(\(value))")
      } catch let error as DatabaseError {
        if !error.message.hasPrefix("argument 1: ") { throw error }
      }
    }
  }

  @Test("text that is not UTF-8 is an error in a function, and repaired in a collation")
  func brokenText() throws {
    let connection = try Connection()
    try connection.function("same") { (text: String) in text }
    let error = #expect(throws: DatabaseError.self) {
      try connection.row("SELECT same(CAST(x'61ff' AS TEXT))")
    }
    #expect(error?.message.contains("cannot be read as UTF-8") == true)
    // Functions of the library that take JSON of any type refuse it, too.
    for name in ["apus_json", "apus_json_nodes"] {
      let error = #expect(throws: DatabaseError.self) {
        try connection.row("SELECT \(identifier: name)(CAST(x'2261ff22' AS TEXT))")
      }
      #expect(error?.message.contains("cannot be read as UTF-8") == true)
    }
    try connection.collation("plain") { left, right in
      left == right ? .orderedSame : left < right ? .orderedAscending : .orderedDescending
    }
    #expect(
      try connection.rows(
        "SELECT length(column1) FROM (VALUES (CAST(x'ff' AS TEXT)), ('a')) ORDER BY column1 COLLATE plain"
      ).count == 2)
  }
}
