import QueryDSL
import SQLCore

/// The keys of rows of one table, or the values of other columns of them.
typealias KeySet = Set<[DatabaseValue]>

extension PlannedTable {
  /// Returns whether commits deleted rows, or changed them in the given columns.
  func lostRows(in commits: [Commit], columns: Set<String>) -> Bool {
    Commit.nettedRows(commits, of: name, columns: columns, needsOld: true) { $0.rows }.rows
      .contains { $0.old != nil }
  }

  /// Returns the keys of the rows that commits touched in the columns that the query reads, or in
  /// the given ones; nil if one is not known exactly.
  func touchedKeys(in commits: [Commit], columns: Set<String>? = nil) -> KeySet? {
    var keys: KeySet = []
    for commit in commits {
      for write in commit.writes {
        guard let changes = write.tables[name] else { continue }
        let places = changes.names.places(of: columns ?? self.columns)
        for row in changes.rows where changes.differs(row, at: places) {
          guard changes.isExact(row, at: []) else { return nil }
          keys.insert(changes.key(of: row).values)
        }
      }
    }
    return keys
  }

  /// A sample of keys, for finding out whether a restricted statement would scan a table.
  var sampleKeys: KeySet { .samples(of: keyCollations.count) }

  /// Returns a statement with the condition that the table's key is one of the given ones. If the
  /// key has several columns, the rows may also have any other combination of their values.
  func restrict(_ statement: SelectStatement, to keys: KeySet) -> SelectStatement {
    statement.restricting(keyColumns, to: keys)
  }

  /// Returns a statement that selects columns of the rows that have some values in other columns.
  func selecting(
    _ selected: [ColumnID], from columns: [ColumnID], in values: KeySet
  ) -> SelectStatement {
    SelectStatement(selection: .terms(selected.map { .expression(.column($0)) }), from: id)
      .restricting(columns, to: values)
  }
}

extension KeySet {
  /// The number of places at which SQLite looks for rows with these keys: all combinations of the
  /// values of each column.
  var seekCount: Int {
    guard let columns = first?.count, columns > 1 else { return count }
    return (0..<columns).reduce(1) { count, place in
      let values = Set<DatabaseValue>(map { $0[place] }).count
      return count.multipliedReportingOverflow(by: values).overflow ? .max : count * values
    }
  }

  /// Returns several samples of values of some columns, since a statement has another form for one.
  static func samples(of count: Int) -> KeySet {
    [Array(repeating: .integer(0), count: count), Array(repeating: .integer(1), count: count)]
  }
}

extension SelectStatement {
  fileprivate func restricting(_ columns: [ColumnID], to values: KeySet) -> SelectStatement {
    var statement = self
    for (place, column) in columns.enumerated() {
      statement.restrict(column, to: Array(Set(values.map { $0[place] })))
    }
    return statement
  }
}
