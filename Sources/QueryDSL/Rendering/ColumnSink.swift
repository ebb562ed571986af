import SQLCore

/// A sink that keeps only the columns that are written.
struct ColumnSink: QuerySink {
  private(set) var columns: Set<ColumnID> = []

  mutating func column(_ column: ColumnID) { columns.insert(column) }
  mutating func allColumns(of table: TableID) {
    let count = LayoutRegistry.shared.layout(number: table.layout)?.columns.count ?? 0
    for index in 0..<count {
      columns.insert(ColumnID(table: table, index: UInt16(truncatingIfNeeded: index)))
    }
  }
  func token(_ token: SQLToken) {}
  func table(_ table: TableID) {}
  func tableName(_ table: TableID) {}
  func columnName(_ column: ColumnID) {}
  func function(_ name: String) {}
  func alias(_ name: String) {}
  func resultColumn(_ name: String) {}
  func windowName(_ name: String) {}
  func value(_ value: BoundValue) {}
  func fragment(_ sql: SQL) {}
  func openScope(
    _ from: TableID, _ joins: [SelectStatement.Join], _ extras: SelectExtras?
  ) {}
  func closeScope() {}
  func hideScope() {}
  func showScope() {}
  func openCommonTables(_ tables: [CommonTableNode]) {}
  func closeCommonTables() {}
  func commonTableDefinition(_ table: CommonTableNode) {}
  func commonTable(_ table: CommonTableName) {}
}
