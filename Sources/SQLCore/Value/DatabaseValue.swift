import CSQLite

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A value as SQLite stores it: an integer, a floating-point number, text, bytes, or NULL.
///
/// ```swift
/// let row = try db.row("SELECT title, views FROM Post")
/// if case .text(let title)? = row?["title"] { print(title) }
/// ```
///
/// Text is compared byte by byte, as SQLite's `BINARY` collation does, and not by Swift's canonical
/// equivalence. A database value can be written as a literal: `nil`, `100`, `10.0`, `"lulu"`,
/// `false`.
/// - SeeAlso: <https://www.sqlite.org/datatype3.html>
public enum DatabaseValue: Sendable {
  /// NULL.
  case null
  /// An INTEGER.
  case integer(Int64)
  /// A REAL.
  case real(Double)
  /// A TEXT.
  case text(String)
  /// A TEXT whose bytes are not UTF-8, such as the result of `CAST(x'ff41' AS TEXT)`. Writing it
  /// back keeps its bytes. Such values occur in raw rows, data frames, the change log and its
  /// conflicts. Reading such a value as a Swift type throws `ColumnValueError`. To read the bytes
  /// as `Data`, select `CAST(column AS BLOB)`.
  case invalidText(Data)
  /// A BLOB.
  case blob(Data)

  /// The storage class of the value.
  public var storageClass: StorageClass {
    switch self {
    case .null: .null
    case .integer: .integer
    case .real: .real
    case .text, .invalidText: .text
    case .blob: .blob
    }
  }

  /// Whether the value is NULL.
  public var isNull: Bool {
    if case .null = self { true } else { false }
  }
}

extension DatabaseValue: Hashable {
  /// Returns whether the storage classes and the values are equal. Texts are compared byte by byte.
  public static func == (left: DatabaseValue, right: DatabaseValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.integer(let a), .integer(let b)): a == b
    case (.real(let a), .real(let b)): a == b
    case (.text(let a), .text(let b)): a.utf8.elementsEqual(b.utf8)
    case (.blob(let a), .blob(let b)), (.invalidText(let a), .invalidText(let b)): a == b
    case (.text(let text), .invalidText(let bytes)), (.invalidText(let bytes), .text(let text)):
      text.utf8.elementsEqual(bytes)
    default: false
    }
  }

  /// Hashes the storage class and the value.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .integer(let value):
      hasher.combine(1)
      hasher.combine(value)
    case .real(let value):
      hasher.combine(2)
      hasher.combine(value)
    case .text(let value):
      hasher.combine(3)
      var value = value
      value.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
      // This byte, which does not occur in UTF-8, marks the end of the text. Without it, the lists
      // `["ab", "c"]` and `["a", "bc"]` would have the same hash.
      hasher.combine(UInt8.max)
    case .blob(let value):
      hasher.combine(4)
      hasher.combine(value)
    case .invalidText(let value):
      hasher.combine(3)
      value.withUnsafeBytes { hasher.combine(bytes: $0) }
      hasher.combine(UInt8.max)
    }
  }
}

extension DatabaseValue: ExpressibleByNilLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral
{
  /// Makes a NULL.
  public init(nilLiteral: ()) { self = .null }
  /// Makes an INTEGER.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// Makes a REAL.
  public init(floatLiteral value: Double) { self = .real(value) }
  /// Makes a TEXT.
  public init(stringLiteral value: String) { self = .text(value) }
  /// Makes an INTEGER: 1 for `true`, 0 for `false`.
  public init(booleanLiteral value: Bool) { self = .integer(value ? 1 : 0) }
}

extension DatabaseValue: CustomStringConvertible {
  /// The value as an SQL literal. A BLOB is written in hexadecimal. A text that is not UTF-8 is
  /// written with its bytes, as in `CAST(x'FF41' AS TEXT)`.
  public var description: String {
    switch self {
    case .null: return "NULL"
    case .integer(let value): return String(value)
    case .real(let value) where value.isInfinite: return value < 0 ? "-9e999" : "9e999"
    case .real(let value): return String(value)
    case .text(let value): return "'" + value.doubling("'") + "'"
    case .invalidText(let value): return "CAST(\(DatabaseValue.blob(value)) AS TEXT)"
    case .blob(let value):
      let digits = Array("0123456789ABCDEF".utf8)
      var text: [UInt8] = []
      for byte in value { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
      return "x'" + String(decoding: text, as: UTF8.self) + "'"
    }
  }
}

extension DatabaseValue {
  /// Reads the value as `Value`. Throws `ColumnValueError` if it is not a value of that type.
  ///
  /// - Parameter form: the stored form, if the type has more than one.
  @inlinable
  public func read<Value: ColumnValue>(
    _ type: Value.Type = Value.self, as form: StoredForm = .standard
  ) throws -> Value {
    try withUnsafePointer(to: self) { try Value(Cell(copy: $0, form: form)) }
  }
}

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
