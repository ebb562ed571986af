import CSQLite

extension DatabaseValue {
  /// Sets the value as the result of a function, or of a column of a virtual table.
  func setResult(of context: OpaquePointer?) {
    switch self {
    case .null: sqlite3_result_null(context)
    case .integer(let integer): sqlite3_result_int64(context, integer)
    case .real(let real): sqlite3_result_double(context, real)
    case .text(var text):
      text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) { bytes in
          csqlite_result_text_copy(context, bytes.baseAddress, UInt64(bytes.count))
        }
      }
    case .invalidText(let data) where data.isEmpty: DatabaseValue.text("").setResult(of: context)
    case .invalidText(let data):
      data.withUnsafeBytes {
        csqlite_result_text_copy(
          context, $0.bindMemory(to: CChar.self).baseAddress, UInt64($0.count))
      }
    case .blob(let data):
      if data.isEmpty {
        sqlite3_result_zeroblob(context, 0)
      } else {
        data.withUnsafeBytes {
          csqlite_result_blob_copy(context, $0.baseAddress, UInt64($0.count))
        }
      }
    }
  }
}
