import CSQLiteBench
import Foundation

extension PlainItem {
  /// Binds the eight values to parameters 1 to 8 without copying text or bytes, and runs a closure
  /// while they are bound.
  @inline(__always)
  func bind(to statement: OpaquePointer, _ run: () throws -> Void) throws {
    sqlite3_bind_int64(statement, 1, id)
    sqlite3_bind_double(statement, 4, score)
    sqlite3_bind_int64(statement, 5, count)
    sqlite3_bind_int64(statement, 6, flag ? 1 : 0)
    sqlite3_bind_int64(
      statement, 7, Int64((createdAt.timeIntervalSince1970 * 1_000_000).rounded()))
    try PlainItem.bind(title, to: statement, at: 2) {
      try PlainItem.bind(body, to: statement, at: 3) {
        try PlainItem.bind(payload, to: statement, at: 8, run)
      }
    }
  }

  @inline(__always)
  private static func bind(
    _ text: String?, to statement: OpaquePointer, at index: Int32, _ run: () throws -> Void
  ) throws {
    guard var text else {
      sqlite3_bind_null(statement, index)
      return try run()
    }
    try text.withUTF8 { bytes in
      try bytes.withMemoryRebound(to: CChar.self) { bytes in
        try check(
          csqlite_bench_bind_text(statement, index, bytes.baseAddress, Int32(bytes.count)))
      }
      try run()
    }
  }

  @inline(__always)
  private static func bind(
    _ data: Data?, to statement: OpaquePointer, at index: Int32, _ run: () throws -> Void
  ) throws {
    guard let data else {
      sqlite3_bind_null(statement, index)
      return try run()
    }
    try data.withUnsafeBytes { bytes in
      try check(csqlite_bench_bind_blob(statement, index, bytes.baseAddress, Int32(bytes.count)))
      try run()
    }
  }
}
