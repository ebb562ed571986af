import CSQLite

extension StatementRow {
  /// Passes the UTF-8 of the text at `index`, counted from 0, to a closure without copying it.
  ///
  /// ```swift
  /// try connection.forEach("SELECT body FROM page") { row in
  ///   try row.withText(at: 0) { utf8 in hasher.update(utf8) }
  /// }
  /// ```
  ///
  /// The bytes are SQLite's own, as stored: they are not checked to be valid UTF-8. Throws
  /// `ColumnValueError` if the value is not a TEXT.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/column_blob.html>
  public func withText<Result>(
    at index: Int, _ body: (Span<UInt8>) throws -> Result
  ) throws -> Result {
    try withCell(at: index) { cell in try cell.withText(body) }
  }

  /// Passes the bytes of the BLOB at `index`, counted from 0, to a closure without copying them.
  ///
  /// Throws `ColumnValueError` if the value is not a BLOB.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/column_blob.html>
  public func withBytes<Result>(
    at index: Int, _ body: (Span<UInt8>) throws -> Result
  ) throws -> Result {
    try withCell(at: index) { cell in
      try cell.withBytes { try body($0.bindMemory(to: UInt8.self).span) }
    }
  }

  private func withCell<Result>(
    at index: Int, _ body: (borrowing Cell) throws -> Result
  ) throws -> Result {
    let cell = try cell(at: index, form: .standard)
    do {
      return try body(cell)
    } catch let error as ColumnValueError {
      throw error.at(table: nil, column: columnNames[index], row: nil)
    }
  }
}

extension Cell {
  /// Passes the UTF-8 of a TEXT to a closure without copying it. Throws `ColumnValueError` if the
  /// value is not a TEXT.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/column_blob.html>
  public func withText<Result>(_ body: (Span<UInt8>) throws -> Result) throws -> Result {
    if case .text(var text) = copy?.pointee {
      return try text.withUTF8 { try body($0.span) }
    }
    guard let value, sqlite3_value_type(value) == SQLITE_TEXT else { throw mismatch(.text) }
    let start = sqlite3_value_text(value)
    let count = Int(sqlite3_value_bytes(value))
    if start == nil { throw DatabaseError.outOfMemory }
    return try body(UnsafeBufferPointer(start: start, count: count).span)
  }
}

extension Row {
  /// Returns the indices, counted from 0, of all columns named `name`, compared without case as in
  /// SQL.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/column_name.html>
  public func indices(named name: String) -> [Int] {
    columnNames.indices.filter { columnNames[$0].isSame(as: name) }
  }
}
