import CSQLite

/// The storage classes of SQLite.
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

  /// The storage class that the declared type of a column stands for; nil for one that stands for
  /// none, such as NUMERIC, ANY, or no type at all.
  ///
  /// - SeeAlso: <https://www.sqlite.org/datatype3.html#determination_of_column_affinity>
  package init?(declaredType: String) {
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

  /// The storage class of a value, from `sqlite3_value_type`.
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
