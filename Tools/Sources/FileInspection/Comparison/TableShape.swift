import Apus

/// The columns and the key of a table, as far as its rows are compared by them.
package struct TableShape: Hashable, Sendable {
  package let name: String
  /// All columns, including generated ones.
  package let columns: [String]
  /// The columns of the primary key, in its order; empty if the table has no key.
  package let keyColumns: [String]

  package init(name: String, columns: [String], keyColumns: [String]) {
    self.name = name
    self.columns = columns
    self.keyColumns = keyColumns
  }
}

extension Connection {
  /// Returns the shapes of the ordinary tables of the main database, in the order in which they were
  /// created.
  ///
  /// Views and virtual tables have none: their rows are those of other tables. Neither have shadow
  /// tables, nor those that SQLite keeps for itself.
  package func tableShapes() throws -> [TableShape] {
    try rows(
      """
      SELECT list.name FROM pragma_table_list AS list
      JOIN sqlite_schema AS schema ON schema.name = list.name AND schema.type = 'table'
      WHERE list.schema = 'main' AND list.type = 'table'
        AND list.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
      ORDER BY schema.rowid
      """
    ).map { row in
      let name: String = try row.get(at: 0)
      let columns = try columns(ofTable: name)
      return TableShape(
        name: name, columns: columns.map(\.name),
        keyColumns: columns.filter { $0.primaryKeyPosition > 0 }
          .sorted { $0.primaryKeyPosition < $1.primaryKeyPosition }.map(\.name))
    }
  }
}
