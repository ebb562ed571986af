import SQLCore

/// The effect on a row when the row to which it refers is deleted or changes its key.
///
/// - SeeAlso: <https://www.sqlite.org/foreignkeys.html#fk_actions>
public enum ForeignKeyAction: String, Sendable {
  /// The deletion or change is refused.
  case noAction = "NO ACTION"
  /// The deletion or change is refused at once, even if the foreign key is deferred.
  case restrict = "RESTRICT"
  /// The reference becomes NULL.
  case setNull = "SET NULL"
  /// The reference becomes the default of its column.
  case setDefault = "SET DEFAULT"
  /// The row is deleted, or its reference gets the new key.
  case cascade = "CASCADE"
}
