import CSQLiteBench
import Foundation

/// The error that is thrown if a column has a value that the property of the struct cannot store.
struct UnexpectedColumn: Error {
  let index: Int32
}

extension PlainItem {
  /// Reads the eight columns of the statement's current row, as strictly as Apus does: each storage
  /// class is checked, and text must be UTF-8.
  @inline(__always)
  init(rowOf statement: OpaquePointer) throws {
    id = try PlainItem.integer(statement, 0)
    title = try PlainItem.text(statement, 1)
    body = sqlite3_column_type(statement, 2) == SQLITE_NULL ? nil : try PlainItem.text(statement, 2)
    score = try PlainItem.real(statement, 3)
    count = try PlainItem.integer(statement, 4)
    flag = try PlainItem.bool(statement, 5)
    createdAt = Date(
      timeIntervalSince1970: Double(try PlainItem.integer(statement, 6)) / 1_000_000)
    payload =
      sqlite3_column_type(statement, 7) == SQLITE_NULL ? nil : try PlainItem.blob(statement, 7)
  }

  @inline(__always)
  static func integer(_ statement: OpaquePointer, _ index: Int32) throws -> Int64 {
    guard sqlite3_column_type(statement, index) == SQLITE_INTEGER else {
      throw UnexpectedColumn(index: index)
    }
    return sqlite3_column_int64(statement, index)
  }

  @inline(__always)
  private static func bool(_ statement: OpaquePointer, _ index: Int32) throws -> Bool {
    switch try integer(statement, index) {
    case 0: false
    case 1: true
    default: throw UnexpectedColumn(index: index)
    }
  }

  @inline(__always)
  private static func real(_ statement: OpaquePointer, _ index: Int32) throws -> Double {
    guard sqlite3_column_type(statement, index) == SQLITE_FLOAT else {
      throw UnexpectedColumn(index: index)
    }
    return sqlite3_column_double(statement, index)
  }

  @inline(__always)
  static func text(_ statement: OpaquePointer, _ index: Int32) throws -> String {
    guard sqlite3_column_type(statement, index) == SQLITE_TEXT,
      let start = sqlite3_column_text(statement, index)
    else { throw UnexpectedColumn(index: index) }
    let bytes = UnsafeBufferPointer(
      start: start, count: Int(sqlite3_column_bytes(statement, index)))
    return String(copying: try UTF8Span(validating: bytes.span))
  }

  @inline(__always)
  private static func blob(_ statement: OpaquePointer, _ index: Int32) throws -> Data {
    guard sqlite3_column_type(statement, index) == SQLITE_BLOB else {
      throw UnexpectedColumn(index: index)
    }
    guard let start = sqlite3_column_blob(statement, index) else { return Data() }
    return Data(bytes: start, count: Int(sqlite3_column_bytes(statement, index)))
  }
}
