import CSQLite

extension StatementRow {
  /// Lends the UTF-8 of the text at `index`, from 0, without a copy.
  ///
  /// ```swift
  /// try connection.forEach("SELECT body FROM page") { row in
  ///   try row.withText(at: 0) { utf8 in hasher.update(utf8) }
  /// }
  /// ```
  ///
  /// The bytes are SQLite's, as they are stored: they are not checked to be UTF-8. Anything but a
  /// TEXT throws `ColumnValueError`.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/column_blob.html>
  public func withText<Result>(
    at index: Int, _ body: (Span<UInt8>) throws -> Result
  ) throws -> Result {
    try withCell(at: index) { cell in try cell.withText(body) }
  }

  /// Lends the bytes of the BLOB at `index`, from 0, without a copy.
  ///
  /// Anything but a BLOB throws `ColumnValueError`.
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
  /// Lends the UTF-8 of a TEXT without a copy; anything else throws `ColumnValueError`.
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
  /// The places of all columns of that name, from 0, without case as in SQL.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/column_name.html>
  public func indices(named name: String) -> [Int] {
    let folded = name.lowercasedASCII
    return columnNames.indices.filter { columnNames[$0].lowercasedASCII == folded }
  }
}
