import Foundation
import SQLCore
import Testing

@Suite("Borrowed values, and columns of one name")
struct BorrowingTests {
  @Test("text and bytes are borrowed as they are stored, U+0000 and invalid UTF-8 included")
  func borrowing() throws {
    let connection = try Connection()
    var seen: [[UInt8]] = []
    try connection.forEach(
      "SELECT 'a' || char(0) || 'é', x'00ff', '', x'', CAST(x'ff' AS TEXT), 1"
    ) { row in
      func bytes(_ span: Span<UInt8>) -> [UInt8] { span.withUnsafeBufferPointer { Array($0) } }
      seen.append(try row.withText(at: 0, bytes))
      seen.append(try row.withBytes(at: 1, bytes))
      seen.append(try row.withText(at: 2, bytes))
      seen.append(try row.withBytes(at: 3, bytes))
      seen.append(try row.withText(at: 4, bytes))
      do {
        _ = try row.withText(at: 1) { $0.count }
        Issue.record("a BLOB is no text")
      } catch let error as ColumnValueError {
        if error.reason != .mismatch(expected: "TEXT", found: "BLOB") { throw error }
      }
      do {
        _ = try row.withBytes(at: 5) { $0.count }
        Issue.record("an integer is no BLOB")
      } catch is ColumnValueError {}
      do {
        _ = try row.withBytes(at: 6) { $0.count }
        Issue.record("there is no column 6")
      } catch is DatabaseError {}
    }
    #expect(seen == [[97, 0, 0xC3, 0xA9], [0, 255], [], [], [255]])
  }

  @Test("columns of one name are distinguished by index, and all their indices are found")
  func duplicates() throws {
    let row = try #require(try Connection().row("SELECT 1 AS n, 2 AS N, 3 AS m, 4 AS n"))
    #expect(row.values == [1, 2, 3, 4])
    #expect(row["n"] == nil && row["M"] == 3)
    #expect(row.indices(named: "n") == [0, 1, 3])
    #expect(row.indices(named: "x").isEmpty)
    #expect(row.columnNames == ["n", "N", "m", "n"])
  }
}
