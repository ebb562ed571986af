import CSQLite

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension StatementRow {
  /// Returns whether the value at `index`, counted from 0, is a text with exactly these bytes. The
  /// column must exist. Nothing is copied.
  package func hasText(_ text: String, at index: Int) -> Bool {
    let index = Int32(truncatingIfNeeded: index)
    guard sqlite3_column_type(statement.handle, index) == SQLITE_TEXT,
      let bytes = sqlite3_column_text(statement.handle, index)
    else { return false }
    let count = Int(sqlite3_column_bytes(statement.handle, index))
    guard count == text.utf8.count else { return false }
    // SQLite's bytes are valid until the next call for this column.
    let isSame = text.utf8.withContiguousStorageIfAvailable { utf8 in
      utf8.baseAddress.map { memcmp($0, bytes, count) == 0 } ?? true
    }
    return isSame ?? text.utf8.elementsEqual(UnsafeBufferPointer(start: bytes, count: count))
  }
}
