import SQLCore

/// The net changes that several commits made in the rows of one table, with the values that a query
/// reads.
struct NettedRows {
  /// The names of the columns: first the key's columns, then the recorded columns that the query
  /// reads.
  let columns: [String]
  let rows: [NettedRowValues]
  /// Whether the values are exactly the stored values; false if text is invalid. The query can be
  /// evaluated only on exact values.
  var isExact = true
}

/// The net change of one row, with its values. It is used to net the rows of several commits
/// together.
struct NettedRowValues: Sendable {
  let key: RowKey
  /// The recorded values before the change; nil if the row did not exist.
  var old: [DatabaseValue]?
  /// The recorded values after the change; nil if the row is gone.
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
  /// Returns one element for each row, with its first old state and its last new state, in the
  /// order in which the rows were first changed. Rows that are unchanged in the end are left out.
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

// The functions below take an array of commits, and are not methods of `[Commit]`. The compiler of
// Swift 6.3 would consider a method of `[Commit]` for every array, such as the result of `fetch`,
// and would crash.

extension Commit {
  /// Returns the net changes that the commits made in a table, with the columns that a query reads.
  ///
  /// - Parameters:
  ///   - needsOld: whether the result must have the values before the change.
  ///   - select: a closure that returns those rows of a write that may matter to the query.
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
    // Usually there is only one write since the last update. It lists each of its rows only once,
    // so nothing is netted.
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

  /// Returns the net changes that the commits made in a table, with the values of the rows before
  /// and after the commits.
  static func nettedRows(_ commits: [Commit], of table: PlannedTable) -> NettedRows {
    nettedRows(commits, of: table.name, columns: table.columns, needsOld: true) { $0.rows }
  }
}
