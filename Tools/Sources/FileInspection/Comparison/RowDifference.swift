import Apus

/// A row that differs between two states of a table, or exists in only one of them.
package struct RowDifference: Sendable, Equatable {
  package enum Kind: String, Sendable {
    case inserted = "insert"
    case updated = "update"
    case deleted = "delete"
  }

  package let kind: Kind
  package let table: String
  /// The values of the key. Empty if the table has no key, so that its rows are compared as a
  /// whole.
  package let key: [DatabaseValue]
  /// The columns whose values differ; all columns of a row that was inserted or deleted.
  package let columns: [String]
  /// The old values of these columns; empty for a row that was inserted.
  package let old: [DatabaseValue]
  /// The new values of these columns; empty for a row that was deleted.
  package let new: [DatabaseValue]

  package init(
    _ kind: Kind, table: String, key: [DatabaseValue], columns: [String],
    old: [DatabaseValue] = [], new: [DatabaseValue] = []
  ) {
    self.kind = kind
    self.table = table
    self.key = key
    self.columns = columns
    self.old = old
    self.new = new
  }
}
