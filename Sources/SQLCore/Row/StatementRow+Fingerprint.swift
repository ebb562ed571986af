import CSQLite

extension StatementRow {
  /// Returns a hash of the values of the first `count` columns. Equal values have equal hashes;
  /// different values collide with a probability of one in 2⁶⁴. It differs from process to process.
  package func fingerprint(ofFirst count: Int) -> UInt64 {
    var hasher = Hasher()
    for index in 0..<Int32(truncatingIfNeeded: count) {
      guard let value = sqlite3_column_value(statement.handle, index) else { continue }
      let type = sqlite3_value_type(value)
      hasher.combine(UInt8(truncatingIfNeeded: type))
      switch type {
      case SQLITE_INTEGER: hasher.combine(sqlite3_value_int64(value))
      case SQLITE_FLOAT: hasher.combine(sqlite3_value_double(value).bitPattern)
      case SQLITE_TEXT:
        let start = sqlite3_value_text(value)
        combine(UnsafeRawPointer(start), Int(sqlite3_value_bytes(value)), into: &hasher)
      case SQLITE_BLOB:
        let start = sqlite3_value_blob(value)
        combine(start, Int(sqlite3_value_bytes(value)), into: &hasher)
      default: break
      }
    }
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }

  private func combine(_ start: UnsafeRawPointer?, _ count: Int, into hasher: inout Hasher) {
    hasher.combine(count)
    // Out of memory: the value cannot be read, so it must not equal any other.
    if start == nil, count > 0 { hasher.combine(UInt64.random(in: 0...UInt64.max)) }
    hasher.combine(bytes: UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
  }
}
