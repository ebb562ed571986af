/// A table in two states of a database, or in two files; it may be missing in one of them.
package struct TablePair: Sendable {
  package let old: TableShape?
  package let new: TableShape?
  /// The columns that both tables have, by which rows are compared; all columns if one table is
  /// missing.
  package let columns: [String]
  /// The columns that identify a row; empty if the tables have no key, or different keys.
  package let keyColumns: [String]

  package var name: String { new?.name ?? old?.name ?? "" }

  package init(old: TableShape?, new: TableShape?) {
    self.old = old
    self.new = new
    guard let old, let new else {
      columns = (old ?? new)?.columns ?? []
      keyColumns = (old ?? new)?.keyColumns ?? []
      return
    }
    columns = new.columns.filter { column in
      old.columns.contains { $0.lowercased() == column.lowercased() }
    }
    let hasSameKey =
      old.keyColumns.map { $0.lowercased() } == new.keyColumns.map { $0.lowercased() }
    keyColumns = hasSameKey ? new.keyColumns : []
  }

  /// Returns the tables of two states, paired by their names: first all tables of the new state,
  /// then the tables that only the old state has.
  package static func pairs(_ old: [TableShape], _ new: [TableShape]) -> [TablePair] {
    func find(_ shape: TableShape, in shapes: [TableShape]) -> TableShape? {
      shapes.first { $0.name.lowercased() == shape.name.lowercased() }
    }
    return new.map { TablePair(old: find($0, in: old), new: $0) }
      + old.filter { find($0, in: new) == nil }.map { TablePair(old: $0, new: nil) }
  }
}
