import CSQLite

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One value of a row, from which a Swift value is read. The value is in SQLite's memory or in a
/// copied row.
///
/// To read a type of your own, implement `ColumnValue.init(_:)`. A cell cannot be copied or kept,
/// because the next step of the statement invalidates it.
/// - SeeAlso: <https://www.sqlite.org/c3ref/value_blob.html>
public struct Cell: ~Copyable {
  // Exactly one of `value` and `copy` is set. `value` is SQLite's own value. `copy` points to a
  // copied value, which the caller keeps valid.
  @usableFromInline let value: OpaquePointer?
  @usableFromInline let copy: UnsafePointer<DatabaseValue>?
  /// The stored form that the column declares.
  public let form: StoredForm

  /// Makes a cell from a value of the current row of a statement.
  @usableFromInline
  package init(value: OpaquePointer, form: StoredForm) {
    self.value = value
    self.copy = nil
    self.form = form
  }

  @usableFromInline
  init(copy: UnsafePointer<DatabaseValue>, form: StoredForm) {
    self.value = nil
    self.copy = copy
    self.form = form
  }

  /// The storage class of the value.
  public var storageClass: StorageClass {
    if let value { return StorageClass(type: sqlite3_value_type(value)) }
    return copy?.pointee.storageClass ?? .null
  }

  /// Whether the value is NULL.
  @inlinable
  public var isNull: Bool {
    if let value { return sqlite3_value_type(value) == SQLITE_NULL }
    return storageClass == .null
  }

  /// Returns the value of an INTEGER. Throws `ColumnValueError` for any other storage class.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/column_blob.html>
  @inlinable
  public func integer() throws -> Int64 {
    if let value, sqlite3_value_type(value) == SQLITE_INTEGER { return sqlite3_value_int64(value) }
    return try copiedInteger()
  }

  @usableFromInline
  func copiedInteger() throws -> Int64 {
    guard case .integer(let integer) = copy?.pointee else { throw mismatch(.integer) }
    return integer
  }

  /// Returns the value of a REAL, or of an INTEGER that a Double represents exactly. Throws
  /// `ColumnValueError` for anything else.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/column_blob.html>
  @inlinable
  public func real() throws -> Double {
    if let value, sqlite3_value_type(value) == SQLITE_FLOAT { return sqlite3_value_double(value) }
    return try convertedReal()
  }

  @usableFromInline
  func convertedReal() throws -> Double {
    if case .real(let real) = copy?.pointee { return real }
    guard storageClass == .integer else { throw mismatch(.real) }
    let integer = try integer()
    guard let real = Double(exactly: integer) else {
      throw ColumnValueError.invalid(integer, as: Double.self)
    }
    return real
  }

  /// Returns the text of a TEXT. Throws `ColumnValueError` for any other storage class, and for
  /// text that is not UTF-8.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/column_blob.html>
  @inlinable
  public func text() throws -> String {
    guard let value, sqlite3_value_type(value) == SQLITE_TEXT else { return try copiedText() }
    return try String(validatedTextOf: value)
  }

  @usableFromInline
  func copiedText() throws -> String {
    switch copy?.pointee {
    case .text(let text): return text
    case .invalidText: throw unreadableText(isThere: true)
    default: throw mismatch(.text)
    }
  }

  /// Returns the text of a TEXT, with U+FFFD in place of bytes that are not UTF-8. Use this in a
  /// program that must display such texts. Throws `ColumnValueError` for any other storage class.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/column_blob.html>
  public func repairedText() throws -> String {
    if case .invalidText(let bytes) = copy?.pointee {
      return String(decoding: bytes, as: UTF8.self)
    }
    guard let value, sqlite3_value_type(value) == SQLITE_TEXT else { return try copiedText() }
    guard let start = sqlite3_value_text(value) else { throw DatabaseError.outOfMemory }
    let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns a copy of the bytes of a BLOB. Throws `ColumnValueError` for any other storage class.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/column_blob.html>
  public func blob() throws -> Data {
    if case .blob(let data) = copy?.pointee { return data }
    return try withBytes { Data($0) }
  }

  /// Passes the bytes of a BLOB to a closure without copying them. Throws `ColumnValueError` for
  /// any other storage class.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/column_blob.html>
  public func withBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result {
    if case .blob(let data) = copy?.pointee { return try data.withUnsafeBytes(body) }
    guard let value, sqlite3_value_type(value) == SQLITE_BLOB else { throw mismatch(.blob) }
    let start = sqlite3_value_blob(value)
    let count = Int(sqlite3_value_bytes(value))
    if start == nil, count > 0 { throw DatabaseError.outOfMemory }
    return try body(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// Returns the stored value, whatever its storage class. A text that is not UTF-8 is
  /// `.invalidText` with its bytes.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/column_blob.html>
  public func databaseValue() throws -> DatabaseValue {
    guard let value else { return copy?.pointee ?? .null }
    switch storageClass {
    case .integer: return .integer(try integer())
    case .real: return .real(try real())
    case .blob: return .blob(try blob())
    case .null: return .null
    case .text:
      guard let start = sqlite3_value_text(value) else { throw DatabaseError.outOfMemory }
      return DatabaseValue(
        textOf: UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))))
    }
  }

  /// Returns the error for a cell that has another storage class than expected.
  func mismatch(_ expected: StorageClass) -> ColumnValueError {
    isNull
      ? ColumnValueError(.null(expected: expected.rawValue))
      : ColumnValueError(.mismatch(expected: expected.rawValue, found: storageClass.rawValue))
  }
}

extension DatabaseValue {
  /// Makes a text from bytes; the result is `.invalidText` if the bytes are not UTF-8.
  package init(textOf bytes: UnsafeBufferPointer<UInt8>) {
    if let valid = try? UTF8Span(validating: bytes.span) {
      self = .text(String(copying: valid))
    } else {
      self = .invalidText(Data(bytes))
    }
  }
}

extension String {
  /// Copies the text of a value. Throws `ColumnValueError` if its bytes are not UTF-8.
  ///
  /// `sqlite3_value_text` must be called before `sqlite3_value_bytes`. The first call may convert
  /// the value, and the second call must count the converted bytes.
  @inlinable
  @inline(__always)
  package init(validatedTextOf value: OpaquePointer) throws {
    // The call may fail because memory runs out: SQLite appends a zero byte to each text, and may
    // have to allocate memory to do so.
    guard let start = sqlite3_value_text(value) else { throw unreadableText(isThere: false) }
    let count = Int(sqlite3_value_bytes(value))
    let bytes = UnsafeBufferPointer(start: start, count: count)
    guard let valid = try? UTF8Span(validating: bytes.span) else {
      throw unreadableText(isThere: true)
    }
    self.init(copying: valid)
  }
}

@usableFromInline
@inline(never)
func unreadableText(isThere: Bool) -> any Error {
  guard isThere else { return DatabaseError.outOfMemory }
  return ColumnValueError(.invalid(expected: "UTF-8", found: "text with broken bytes"))
    .with(detail: "a DatabaseValue has its bytes, and CAST(column AS BLOB) selects them as Data")
}
