/// How a Swift value is written into its column, where there is more than one way.
///
/// A column reads the form that it declares and no other. `.standard` is the form of the table in
/// `Documentation/StoredForms.md`; the rest is declared in a model's schema:
/// `Stored(\.$id, as: .bytes)`.
/// - SeeAlso: <https://www.sqlite.org/datatype3.html#storage_classes_and_datatypes>
@frozen
public enum StoredForm: UInt8, Hashable, Sendable, BitwiseCopyable {
  /// The form that the type has where nothing is declared.
  case standard
  /// A UUID as its 16 bytes, in a BLOB.
  case bytes
  /// A Date as seconds since 1970-01-01T00:00:00Z, in a REAL.
  case unixSeconds
  /// A Date as seconds since 2001-01-01T00:00:00Z, in a REAL.
  case referenceSeconds
  /// A Date as `2026-11-21T10:50:00.123456Z`, in a TEXT; years 0000 to 9999.
  case iso8601
  /// A Date as a Julian day number, in a REAL; exact to the millisecond, as SQLite's own functions
  /// are.
  case julianDay
}
