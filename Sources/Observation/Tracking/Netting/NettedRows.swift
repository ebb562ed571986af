import SQLCore

/// The rows of one table that several commits changed, netted, with the values that a query reads.
struct NettedRows {
  /// The columns of the values: the key columns, and the recorded columns that the query reads.
  let columns: [String]
  let rows: [NettedRowValues]
  /// Whether the values are exactly SQLite's, so that the query can be evaluated on them.
  var isExact = true
}

/// The net change of one row, with its values. It is used where the rows of several commits are
/// netted together.
struct NettedRowValues: Sendable {
  let key: RowKey
  /// The recorded values before; nil if the row did not exist.
  var old: [DatabaseValue]?
  /// The recorded values after the write; nil if the row is gone.
  var new: [DatabaseValue]?

  var isEmpty: Bool {
    switch (old, new) {
    case (nil, nil): true
    case (let old?, let new?): old == new
    default: false
    }
  }
}

extension NettedRowValues {
  /// Returns one element for each row, with its first old state and its last new state. Rows that
  /// are unchanged in the end are left out; the others keep the order in which they were first
  /// changed.
  static func netted(_ rows: [NettedRowValues]) -> [NettedRowValues] {
    var indices: [RowKey: Int] = [:]
    var netted: [NettedRowValues] = []
    for row in rows {
      if let index = indices[row.key] {
        netted[index].new = row.new
      } else {
        indices[row.key] = netted.count
        netted.append(row)
      }
    }
    return netted.filter { !$0.isEmpty }
  }
}

// A method of `[Commit]` would be a candidate for its name after any array, such as the result of
// `fetch`, and Swift 6.3 crashes there.

extension Commit {
  /// Returns the net changes of the commits to a table's rows, in the columns that a query reads.
  ///
  /// - Parameters:
  ///   - needsOld: whether the values before are needed.
  ///   - select: returns the rows of a write that may matter.
  static func nettedRows(
    _ commits: [Commit], of table: QualifiedTableName, columns: Set<String>, needsOld: Bool,
    _ select: (NettedTable) -> [NettedRow]
  ) -> NettedRows {
    var touched: [NettedTable] = []
    for commit in commits {
      for write in commit.writes {
        if let changes = write.tables[table] { touched.append(changes) }
      }
    }
    guard let last = touched.last else { return NettedRows(columns: [], rows: []) }
    let places = last.names.places(of: columns)
    let names = last.names.keys + places.map { last.names.columns[$0] }
    // Usually there is only one write since the last update, which lists each of its rows once.
    guard touched.count > 1 else {
      let rows = select(last).filter { last.differs($0, at: places) }
      return NettedRows(
        columns: names,
        rows: rows.map {
          needsOld ? last.change($0, at: places) : last.newState(of: $0, at: places)
        },
        isExact: rows.allSatisfy { last.isExact($0, at: places) })
    }
    var rows: [NettedRowValues] = []
    var isExact = true
    for changes in touched {
      let places = changes.names.places(of: columns)
      for row in select(changes) {
        rows.append(changes.change(row, at: places))
        isExact = isExact && changes.isExact(row, at: places)
      }
    }
    return NettedRows(columns: names, rows: NettedRowValues.netted(rows), isExact: isExact)
  }

  /// Returns the net changes of all rows of a table, with their values before and after.
  static func nettedRows(_ commits: [Commit], of table: PlannedTable) -> NettedRows {
    nettedRows(commits, of: table.name, columns: table.columns, needsOld: true) { $0.rows }
  }
}
