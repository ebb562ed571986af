/// How a Swift value is written into its column, where there is more than one way.
///
/// A column writes the form that it declares. `.standard` is the form of the table in
/// `Documentation/StoredForms.md`; the others are declared in a model's schema:
/// `Stored(\.$id, as: .bytes)`. A form of a date as text reads each of the others that are text.
/// - SeeAlso: <https://www.sqlite.org/datatype3.html#storage_classes_and_datatypes>
@frozen
public enum StoredForm: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
  /// The form that the type has if nothing is declared.
  case standard
  /// A UUID as its 16 bytes, in a BLOB.
  case bytes
  /// A Date as seconds since 1970-01-01T00:00:00Z, in a REAL.
  case unixSeconds
  /// A Date as seconds since 2001-01-01T00:00:00Z, in a REAL: `timeIntervalSinceReferenceDate`.
  case referenceSeconds
  /// A Date as `2026-11-21T10:50:00.123456Z`, in a TEXT; years 0000 to 9999.
  case iso8601
  /// A Date as a Julian day number, in a REAL; exact to the millisecond, as SQLite's own functions
  /// are.
  case julianDay
  /// A UUID as 36 characters in upper case, in a TEXT: Foundation's `uuidString`.
  case uppercase
  /// A Date as whole seconds since 1970-01-01T00:00:00Z, in an INTEGER: SQLite's `unixepoch()`.
  case unixEpoch
  /// A Date as milliseconds since 1970-01-01T00:00:00Z, in an INTEGER: JavaScript's `Date.now()`.
  case unixMilliseconds
  /// A Date as `2026-11-21T10:50:00.123Z`, in a TEXT: JavaScript's `toISOString()`.
  case iso8601Milliseconds
  /// A Date as `2026-11-21T10:50:00Z`, in a TEXT: `JSONEncoder`'s and `ISO8601DateFormatter`'s.
  case iso8601Seconds
  /// A Date as `2026-11-21 10:50:00.123` in UTC, in a TEXT: what GRDB writes, and SQLite's
  /// `strftime('%Y-%m-%d %H:%M:%f')`.
  case datetime
  /// A Date as `2026-11-21 10:50:00` in UTC, in a TEXT: SQLite's `datetime()` and
  /// `CURRENT_TIMESTAMP`.
  case datetimeSeconds
}

extension StoredForm {
  /// The microseconds that a date of this form is rounded to: 1, a millisecond or a second.
  package var dateUnit: Int64 {
    switch self {
    case .unixMilliseconds, .iso8601Milliseconds, .datetime, .julianDay: 1_000
    case .unixEpoch, .iso8601Seconds, .datetimeSeconds: 1_000_000
    case .standard, .bytes, .uppercase, .unixSeconds, .referenceSeconds, .iso8601: 1
    }
  }
}
