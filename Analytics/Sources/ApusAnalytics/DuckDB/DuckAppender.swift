import CDuckDB
import SQLCore

/// An appender that adds rows to a table in batches.
final class DuckAppender {
  private var handle: adb_appender?
  private let table: String
  /// The connection. The appender refers to it, because the connection must not be closed before
  /// its appenders are destroyed.
  private let connection: DuckConnection

  init(_ handle: adb_appender?, table: String, connection: DuckConnection) {
    self.handle = handle
    self.table = table
    self.connection = connection
  }

  deinit {
    // Destroying the appender also writes its remaining rows. An error of this can be ignored: if
    // `close` was called, it has already thrown the error. If not, the transaction is rolled back.
    _ = adb_appender_destroy(&handle)
  }

  /// Adds the value of the next column. Throws `CopyFailure` if the value does not have the
  /// declared type of the column.
  func append(_ value: DatabaseValue, as kind: ColumnKind) throws {
    switch (kind, value) {
    case (_, .null), (.integer, .integer), (.real, .real), (.blob, .blob): try append(value)
    case (.real, .integer(let integer)): try append(.real(Double(integer)))
    case (.text, .text(let text)):
      guard !text.utf8.contains(0) else {
        throw CopyFailure(reason: "the text contains U+0000, at which SQLite's functions end it")
      }
      try append(value)
    case (.text, .invalidText): throw CopyFailure(reason: "the text is not UTF-8")
    default:
      throw CopyFailure(
        reason: "it is of the type \(value.storageClass.rawValue), and the column is declared as "
          + kind.declared)
    }
  }

  /// Adds the value of the next column.
  func append(_ value: DatabaseValue) throws {
    switch value {
    case .null: try check(adb_append_null(handle))
    case .integer(let integer): try check(adb_append_int64(handle, integer))
    case .real(let real): try check(adb_append_double(handle, real))
    case .text(var text):
      try text.withUTF8 { bytes in
        try bytes.withMemoryRebound(to: CChar.self) {
          try check(adb_append_varchar_length(handle, $0.baseAddress, UInt64($0.count)))
        }
      }
    case .blob(let data), .invalidText(let data):
      try data.withUnsafeBytes {
        try check(adb_append_blob(handle, $0.baseAddress, UInt64($0.count)))
      }
    }
  }

  /// Ends the row.
  func endRow() throws { try check(adb_appender_end_row(handle)) }

  /// Writes the rows that are still in memory.
  func close() throws { try check(adb_appender_close(handle)) }

  private var message: String {
    adb_appender_error(handle).map { String(cString: $0) } ?? "no reason is given"
  }

  private func check(_ state: Int32) throws {
    guard state != ADB_SUCCESS else { return }
    throw AnalyticsError.failed(reason: message, sql: "appending to \(table)")
  }
}

/// The reason why a value cannot be copied. The caller adds the table, the row and the column.
struct CopyFailure: Error {
  let reason: String
}
