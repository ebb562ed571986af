import CSQLite

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A storage class of SQLite.
///
/// - SeeAlso: <https://www.sqlite.org/datatype3.html#storage_classes_and_datatypes>
public enum StorageClass: String, Hashable, Sendable {
  /// A signed integer of 64 bits.
  case integer = "INTEGER"
  /// A floating-point number of 64 bits.
  case real = "REAL"
  /// Text in UTF-8.
  case text = "TEXT"
  /// Bytes.
  case blob = "BLOB"
  /// No value.
  case null = "NULL"

  /// Makes the storage class of a column's declared type; nil for a type without a storage class,
  /// such as NUMERIC, ANY or an empty type.
  ///
  /// - SeeAlso: <https://www.sqlite.org/datatype3.html#determination_of_column_affinity>
  public init?(declaredType: String) {
    let type = declaredType.lowercasedASCII
    if type.contains("int") {
      self = .integer
    } else if ["char", "clob", "text"].contains(where: type.contains) {
      self = .text
    } else if type.contains("blob") {
      self = .blob
    } else if ["real", "floa", "doub"].contains(where: type.contains) {
      self = .real
    } else {
      return nil
    }
  }

  /// Makes the storage class from the result of `sqlite3_value_type`.
  @usableFromInline
  package init(type: Int32) {
    switch type {
    case SQLITE_INTEGER: self = .integer
    case SQLITE_FLOAT: self = .real
    case SQLITE_TEXT: self = .text
    case SQLITE_BLOB: self = .blob
    default: self = .null
    }
  }
}

extension StorageClass {
  /// The Swift type for values of this class, such as Int64 for INTEGER; nil for NULL.
  package var valueType: (any ColumnValue.Type)? {
    switch self {
    case .integer: Int64.self
    case .real: Double.self
    case .text: String.self
    case .blob: Data.self
    case .null: nil
    }
  }
}

/// A stored form of a Swift type that can be stored in several ways.
///
/// ```swift
/// Stored(\.$createdAt, as: .iso8601)
/// ```
///
/// A column is written in the form that it declares. `.standard` is the default form, which
/// `Documentation/StoredForms.md` lists for each type. The other forms are declared in a model's
/// schema, as in `Stored(\.$id, as: .bytes)`. A column with a text form of dates also reads the
/// other text forms.
/// - SeeAlso: <https://www.sqlite.org/datatype3.html#storage_classes_and_datatypes>
@frozen
public enum StoredForm: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
  /// The form that a type has by default.
  case standard
  /// A UUID as its 16 bytes, in a BLOB.
  case bytes
  /// A Date as seconds since 1970-01-01T00:00:00Z, in a REAL.
  case unixSeconds
  /// A Date as seconds since 2001-01-01T00:00:00Z, in a REAL: `timeIntervalSinceReferenceDate`.
  case referenceSeconds
  /// A Date as `2026-11-21T10:50:00.123456Z`, in a TEXT; years 0000 to 9999.
  case iso8601
  /// A Date as a Julian day number, in a REAL. Precise to the millisecond, like SQLite's own date
  /// functions.
  case julianDay
  /// A UUID as 36 characters in upper case, in a TEXT: Foundation's `uuidString`.
  case uppercase
  /// A Date as whole seconds since 1970-01-01T00:00:00Z, in an INTEGER: SQLite's `unixepoch()`.
  case unixEpoch
  /// A Date as milliseconds since 1970-01-01T00:00:00Z, in an INTEGER: JavaScript's `Date.now()`.
  case unixMilliseconds
  /// A Date as `2026-11-21T10:50:00.123Z`, in a TEXT: JavaScript's `toISOString()`.
  case iso8601Milliseconds
  /// A Date as `2026-11-21T10:50:00Z`, in a TEXT: the format of `ISO8601DateFormatter`, and of
  /// `JSONEncoder` with the strategy `.iso8601`.
  case iso8601Seconds
  /// A Date as `2026-11-21 10:50:00.123` in UTC, in a TEXT: the format of GRDB, and of SQLite's
  /// `strftime('%Y-%m-%d %H:%M:%f')`.
  case datetime
  /// A Date as `2026-11-21 10:50:00` in UTC, in a TEXT: SQLite's `datetime()` and
  /// `CURRENT_TIMESTAMP`.
  case datetimeSeconds
}

extension StoredForm {
  /// The unit to which dates of this form are rounded, in microseconds: a microsecond, a
  /// millisecond or a second.
  package var dateUnit: Int64 {
    switch self {
    case .unixMilliseconds, .iso8601Milliseconds, .datetime, .julianDay: 1_000
    case .unixEpoch, .iso8601Seconds, .datetimeSeconds: 1_000_000
    case .standard, .bytes, .uppercase, .unixSeconds, .referenceSeconds, .iso8601: 1
    }
  }
}
