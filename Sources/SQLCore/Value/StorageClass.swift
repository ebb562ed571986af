import CSQLite

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

  /// Makes the storage class that a column's declared type stands for; nil if it stands for none,
  /// such as NUMERIC, ANY, or no type at all.
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
