import Apus

/// The columns and the key of a table, by which its rows are compared.
package struct TableShape: Hashable, Sendable {
  package let name: String
  /// All columns, including generated ones.
  package let columns: [String]
  /// The columns of the primary key, in its order; empty if the table has no key.
  package let keyColumns: [String]
  /// The full-text table that stores its text in this table; nil for every other table.
  package let fullTextTable: String?

  package init(
    name: String, columns: [String], keyColumns: [String], fullTextTable: String? = nil
  ) {
    self.name = name
    self.columns = columns
    self.keyColumns = keyColumns
    self.fullTextTable = fullTextTable
  }
}
