import Foundation
import SQLCore
import Testing

@Suite("DatabaseValue")
struct DatabaseValueTests {
  @Test("there are exactly five kinds of value, and literals convert to them")
  func literals() {
    let values: [DatabaseValue] = [nil, 100, 10.0, "lulu", false, true, .blob(Data([1]))]
    #expect(
      values
        == [
          .null, .integer(100), .real(10), .text("lulu"), .integer(0), .integer(1),
          .blob(Data([1])),
        ])
    #expect(
      values.map(\.storageClass) == [.null, .integer, .real, .text, .integer, .integer, .blob])
    #expect(values.map(\.isNull) == [true, false, false, false, false, false, false])
  }

  @Test("every column of a row can be fetched as a DatabaseValue")
  func fetched() throws {
    let db = try Database.temporary()
    let row = try db.row("SELECT NULL, 100, 10.0, 'lulu', x'0102', '', x''")
    #expect(row?.values == [nil, 100, 10.0, "lulu", .blob(Data([1, 2])), "", .blob(Data())])
  }

  @Test("literals are bound and read back")
  func bound() throws {
    let row = try Connection().row(
      "SELECT \(33), \("lulu"), \(1.5), \(true), \(DatabaseValue.null)")
    #expect(row?.values == [33, "lulu", 1.5, 1, nil])
  }

  @Test("an integer and a real, and text and bytes, are different values")
  func different() {
    #expect(DatabaseValue.integer(1) != .real(1))
    #expect(DatabaseValue.text("a") != .blob(Data("a".utf8)))
    #expect(DatabaseValue.null != .integer(0))
    #expect(Set<DatabaseValue>(["é", "e\u{301}", 1, 1.0, nil, nil, 0.0, -0.0]).count == 6)
  }

  @Test("the description is an SQL literal of the same value")
  func description() throws {
    let values: [DatabaseValue] = [
      nil, 0, .integer(.min), .integer(.max), 1.5, -1e300, "it's", "",
      .blob(Data([0, 0xAB, 0xFF])),
      .blob(Data()), "'\u{301}", "''", "\r\n'",
    ]
    let list = values.map(\.description).joined(separator: ", ")
    #expect(try Connection().row("SELECT \(unsafe: list)")?.values == values)
  }

  @Test("a value is read as a type, and throws if the type does not match")
  func read() throws {
    #expect(try DatabaseValue.integer(7).read(Int8.self) == 7)
    #expect(try DatabaseValue.null.read(Int?.self) == nil)
    #expect(
      try DatabaseValue.real(2_451_545).read(Date.self, as: .julianDay).timeIntervalSince1970
        == 946_728_000)
    let error = #expect(throws: ColumnValueError.self) {
      try DatabaseValue.text("7").read(Int.self)
    }
    #expect(error?.description == "expected INTEGER, found TEXT")
    #expect(throws: ColumnValueError.self) { try DatabaseValue.null.read(Data.self) }
    #expect(throws: ColumnValueError.self) { try DatabaseValue.blob(Data()).read(String.self) }
  }
}
