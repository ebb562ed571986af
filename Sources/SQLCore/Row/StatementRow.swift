import CSQLite

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The current row of a statement. Reading one value does not copy the other values.
///
/// A statement row cannot be copied or kept. Use `Row` for a copy that can be kept.
/// - SeeAlso: <https://www.sqlite.org/c3ref/column_blob.html>
public struct StatementRow: ~Copyable {
  package let statement: StatementPointer

  package init(statement: StatementPointer) {
    self.statement = statement
  }

  /// The number of columns.
  public var count: Int { Int(sqlite3_column_count(statement.handle)) }

  /// The names of the columns, in order; a name may occur more than once.
  public var columnNames: [String] { statement.columnNames.names }

  /// Returns the value at `index`, counted from 0, as `type`.
  ///
  /// Throws `DatabaseError` (`.range`) if there is no such column. Throws `ColumnValueError` if the
  /// value cannot be read as `type`. NULL can be read only if `type` is optional.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/column_blob.html>
  public func get<Value: ColumnValue>(
    _ type: Value.Type = Value.self, at index: Int, as form: StoredForm = .standard
  ) throws -> Value {
    let cell = try cell(at: index, form: form)
    do {
      return try Value(cell)
    } catch let error as ColumnValueError {
      throw error.at(table: nil, column: columnNames[index], row: nil)
    }
  }

  /// Returns the value of the column named `name`. Names are compared without case, as in SQL.
  ///
  /// Throws `DatabaseError` (`.range`) if no column has that name or several have it. Also throws
  /// the errors of `get(_:at:as:)`.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/column_blob.html>
  public func get<Value: ColumnValue>(
    _ type: Value.Type = Value.self, named name: String, as form: StoredForm = .standard
  ) throws -> Value {
    try get(type, at: try statement.columnNames.requireIndex(of: name), as: form)
  }

  /// Returns the stored value at `index`, counted from 0, whatever its storage class. A text that
  /// is not UTF-8 is `.invalidText` with its bytes. Throws `DatabaseError` (`.range`) if there is
  /// no such column.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/column_blob.html>
  public func databaseValue(at index: Int) throws -> DatabaseValue {
    try cell(at: index, form: .standard).databaseValue()
  }

  /// Returns the value at `index`, for a caller that compares values. Throws `ColumnValueError` for
  /// a text that is not UTF-8. A String could only hold such a text with replaced bytes, and would
  /// then compare wrongly.
  package func validValue(at index: Int) throws -> DatabaseValue {
    let value = try databaseValue(at: index)
    if case .invalidText = value { return .text(try get(String.self, at: index)) }
    return value
  }

  /// Returns the value at `index` if it is a text that is not UTF-8; otherwise nil.
  package func invalidText(at index: Int) throws -> DatabaseValue? {
    let value = try databaseValue(at: index)
    if case .invalidText = value { return value }
    return nil
  }

  /// Returns the storage class of the value at `index`, counted from 0.
  func storageClass(at index: Int) throws -> StorageClass {
    try cell(at: index, form: .standard).storageClass
  }

  /// Returns whether the value at `index`, counted from 0, is NULL.
  package func isNull(at index: Int) throws -> Bool {
    try storageClass(at: index) == .null
  }

  /// Returns the value at `index` as readable text: nil for NULL, the number of bytes for a BLOB,
  /// and SQL such as `CAST(x'FF' AS TEXT)` for a text that is not UTF-8.
  func text(at index: Int) throws -> String? {
    let cell = try cell(at: index, form: .standard)
    // `Data.description` has the same wording, such as `16 bytes`.
    if cell.storageClass == .blob { return "\(try cell.withBytes(\.count)) bytes" }
    let value = try cell.databaseValue()
    switch value {
    case .text(let text): return text
    case .real(let real): return String(real)
    case .null: return nil
    case .integer, .invalidText, .blob: return value.description
    }
  }

  func cell(at index: Int, form: StoredForm) throws -> Cell {
    guard index >= 0, index < count,
      let value = sqlite3_column_value(statement.handle, Int32(index))
    else {
      throw DatabaseError(
        code: .range,
        message: "there is no column \(index): the row has \(count) columns, counted from 0")
    }
    return Cell(value: value, form: form)
  }

  func requireColumns<each Value>(ofTypes types: repeat (each Value).Type) throws {
    var expected = 0
    for _ in repeat each types { expected += 1 }
    guard expected == count else {
      throw DatabaseError(
        code: .range,
        message: "the result has \(count) columns, and the tuple has \(expected) types",
        sql: statement.sql)
    }
  }
}

// Functions that read values in SQLite's own memory, without copying them.
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

  /// Returns a hash of the values of the first `count` columns. Equal values have equal hashes;
  /// different values collide with a probability of one in 2⁶⁴. The hash of the same values differs
  /// from process to process.
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
    // If memory runs out, the value cannot be read. A random number then makes the hash differ from
    // all others.
    if start == nil, count > 0 { hasher.combine(UInt64.random(in: 0...UInt64.max)) }
    hasher.combine(bytes: UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
  }
}

extension StatementRow {
  /// Passes the UTF-8 of the text at `index`, counted from 0, to a closure without copying it.
  ///
  /// ```swift
  /// try connection.forEach("SELECT body FROM page") { row in
  ///   try row.withText(at: 0) { utf8 in hasher.update(utf8) }
  /// }
  /// ```
  ///
  /// The bytes are in SQLite's memory, and are not checked to be valid UTF-8. Throws
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

  /// Passes the value at `index`, counted from 0, to a closure without copying it. Throws
  /// `DatabaseError` (`.range`) if there is no such column.
  @_spi(Tools)
  public func withCell<Result>(
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
    switch copy?.pointee {
    case .text(var text): return try text.withUTF8 { try body($0.span) }
    case .invalidText(let data):
      return try data.withUnsafeBytes { try body($0.bindMemory(to: UInt8.self).span) }
    default: break
    }
    guard let value, sqlite3_value_type(value) == SQLITE_TEXT else { throw mismatch(.text) }
    let start = sqlite3_value_text(value)
    let count = Int(sqlite3_value_bytes(value))
    if start == nil { throw DatabaseError.outOfMemory }
    return try body(UnsafeBufferPointer(start: start, count: count).span)
  }
}

extension Row {
  /// Returns the indices, counted from 0, of all columns named `name`. Names are compared without
  /// case, as in SQL.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/column_name.html>
  public func indices(named name: String) -> [Int] {
    columnNames.indices.filter { columnNames[$0].isSame(as: name) }
  }
}
