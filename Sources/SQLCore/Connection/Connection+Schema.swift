extension Connection {
  /// Returns the columns of a table, including generated ones. Returns an empty array if the table
  /// does not exist.
  public func columns(ofTable table: String) throws -> [TableColumn] {
    var columns: [TableColumn] = []
    try forEach(
      """
      SELECT name, type, "notnull", dflt_value, pk, hidden FROM pragma_table_xinfo(\(table))
      """
    ) { row in
      columns.append(
        TableColumn(
          name: try row.get(at: 0), declaredType: try row.get(at: 1),
          isNotNull: try row.get(at: 2), defaultText: try row.get(at: 3),
          primaryKeyPosition: try row.get(at: 4),
          generation: TableColumn.Generation(rawValue: try row.get(at: 5)) ?? .none))
    }
    return columns
  }

  /// Returns whether the main database has a table or view of that name, ignoring case.
  public func tableExists(_ table: String) throws -> Bool {
    try row(
      "SELECT 1 FROM sqlite_schema WHERE type IN ('table', 'view') AND lower(name) = lower(\(table))"
    ) != nil
  }
}
