import QueryDSL
import SQLCore

/// A trace that finds, from the rows of a table, the groups of the query to which the rows belong.
///
/// A row determines its group if its table has the columns of GROUP BY, or columns that a join
/// condition makes equal to them. For example, with `GROUP BY feed.id` and `item.feed = feed.id`,
/// an item determines its group. If GROUP BY has an expression, the expression is calculated from
/// the row. From other tables, such as the tables of subqueries, a `RowPath` leads to the rows with
/// the columns of GROUP BY.
struct GroupTrace: Sendable {
  private struct Part {
    /// The index of the GROUP BY term that this part calculates.
    let place: Int
    /// The expression that calculates the term from a row of the table. For `GROUP BY feed.id`, for
    /// example, this may be `item.feed`.
    let node: ExpressionNode
    /// The folded name of the column if `node` is a plain column; nil for other expressions.
    let column: String?
    /// The collation of the GROUP BY term.
    let collation: BuiltInCollation
    /// Whether a left join may find no row. In this case, the term must also be calculated from
    /// columns that are all NULL.
    let mayBeNull: Bool
  }

  let table: PlannedTable
  private let parts: [Part]
  /// The path to the table that has the GROUP BY column; `parts` then has one element. Nil if the
  /// table's own columns determine the groups.
  private let path: RowPath?

  /// Creates a trace from the table's own columns. Throws a `RerunReason` if the columns do not
  /// determine the groups.
  init(
    from table: PlannedTable, to groups: PlannedGroups, of select: SelectStatement,
    in tables: [PlannedTable]
  ) throws {
    let left = Set(select.joins.filter { $0.kind == .left }.map(\.table))
    let equalities = select.equalities
    var parts: [Part] = []
    for (place, group) in groups.nodes.enumerated() {
      let collation = groups.collations[place]
      let columns = try group.columns
      // All columns of the term must be in one table. Then either one row has the values of all
      // these columns, or all the values are NULL because a left join found no row.
      guard let other = columns.first?.table, columns.allSatisfy({ $0.table == other }) else {
        continue
      }
      var mayBeNull = left.contains(other)
      var own: [ColumnID: ColumnID] = [:]
      if other != table.id {
        let isColumn = if case .column = group { true } else { false }
        for column in columns {
          let equality = equalities.first {
            $0.second == column && $0.first.table == table.id
              && Self.areEqual($0.first, column, table, in: tables) {
                isColumn
                  ? PlannedTable.haveEqualKeys($0, $1, $2, $3, by: collation)
                  : PlannedTable.haveSameValues($0, $1, $2, $3)
              }
          }
          guard let equality else { break }
          own[column] = equality.first
          // If the left join finds no row of this table, its column is NULL. IS considers this NULL
          // equal to any other NULL.
          if left.contains(table.id), equality.join != table.id { mayBeNull = true }
        }
        guard own.count == columns.count else { continue }
      }
      let node = try group.replacingColumns { own[$0] }
      guard try node.columns.allSatisfy({ $0.table == table.id }) else { continue }
      var name: String?
      if case .column(let column) = node {
        name = table.layout.columns[Int(column.index)].name.lowercasedASCII
      }
      parts.append(
        Part(place: place, node: node, column: name, collation: collation, mayBeNull: mayBeNull))
    }
    guard !parts.isEmpty else {
      throw RerunReason(
        "no column of \(table.layout.tableName) says to which group its rows belong")
    }
    self.table = table
    self.parts = parts
    path = nil
  }

  /// Creates a trace that follows links between tables, until it reaches a table with a column of
  /// GROUP BY. Throws a `RerunReason` if no links lead to such a table.
  init(
    from table: PlannedTable, to groups: PlannedGroups, by links: TableLinks,
    of select: SelectStatement, in tables: [PlannedTable]
  ) throws {
    var found: (part: Part, path: RowPath)?
    var reason = RerunReason("it groups by expressions, and has a subquery")
    for (place, group) in groups.nodes.enumerated().reversed() {
      guard case .column(let column) = group,
        let root = tables.first(where: { $0.id == column.table })
      else { continue }
      do {
        let path = try links.path(from: table, to: root, selecting: [column])
        let part = Part(
          place: place, node: group, column: nil, collation: groups.collations[place],
          mayBeNull: select.joins.contains { $0.kind == .left && $0.table == root.id })
        found = (part, path)
      } catch let other as RerunReason {
        reason = other
      }
    }
    guard let found else { throw reason }
    self.table = table
    parts = [found.part]
    path = found.path
  }

  private static func areEqual(
    _ first: ColumnID, _ second: ColumnID, _ table: PlannedTable, in tables: [PlannedTable],
    _ test: (PlannedTable, Int, PlannedTable, Int) -> Bool
  ) -> Bool {
    guard let other = tables.first(where: { $0.id == second.table }) else { return false }
    return test(table, Int(first.index), other, Int(second.index))
  }

  /// The index in GROUP BY of the first term whose values the trace finds.
  var firstPlace: Int { parts[0].place }

  /// The values that the affected groups may have for some of the GROUP BY terms.
  struct Values {
    fileprivate(set) var places: [(place: Int, values: Set<DatabaseValue>)]

    /// The number of combinations of the values.
    var count: Int {
      places.reduce(1) {
        let (count, overflows) = $0.multipliedReportingOverflow(by: $1.values.count)
        return overflows ? .max : count
      }
    }

    /// Returns whether the group with this key has, for each of these terms, one of the values.
    func contains(_ key: RowKey) -> Bool {
      places.allSatisfy { $0.values.contains(key.values[$0.place]) }
    }
  }

  /// The outcome of looking for the groups of touched rows.
  enum Outcome {
    case untouched
    case groups(Values)
    /// The groups are not known, because a value that determines them is not known exactly.
    case unknown
  }

  /// Returns whether commits touched rows that may belong to a group.
  func isTouched(by commits: [Commit], _ values: [DatabaseValue]) -> Bool {
    path?.isTouched(by: commits, values) ?? table.isTouched(by: commits)
  }

  /// Returns the groups to which touched rows belong now or belonged before.
  func groups(
    of commits: [Commit], maximum: Int, _ means: MaintenanceMeans, on core: ConnectionCore
  ) throws -> Outcome {
    if let path {
      guard let found = try path.values(of: commits, means.values, maximum: maximum, on: core)
      else {
        return .unknown
      }
      guard !found.isEmpty else { return .untouched }
      var values = Set(found.map { $0[0].asGroupKey(parts[0].collation) })
      if parts[0].mayBeNull { values.insert(.null) }
      return .groups(Values(places: [(parts[0].place, values)]))
    }
    let rows = Commit.nettedRows(commits, of: table)
    guard !rows.rows.isEmpty else { return .untouched }
    guard rows.isExact else { return .unknown }
    let states = rows.rows.flatMap { row in
      [row.old, row.new].compactMap { $0.map { row.key.values + $0 } }
    }
    let columns = rows.columns.map(\.lowercasedASCII)
    var values: [Set<DatabaseValue>] = parts.map { _ in [] }
    for (place, part) in parts.enumerated() {
      guard let column = part.column else { continue }
      guard let index = columns.firstIndex(of: column) else { return .unknown }
      values[place] = Set(states.map { $0[index].asGroupKey(part.collation) })
      if part.mayBeNull { values[place].insert(.null) }
    }
    let calculated = parts.indices.filter { parts[$0].column == nil }
    guard calculated.isEmpty || add(to: &values, calculated, states, columns, means.evaluators)
    else {
      return .unknown
    }
    return .groups(Values(places: zip(parts, values).map { ($0.place, $1) }))
  }

  /// Calculates `node` of some parts for the given rows, and adds the results to `values`. Returns
  /// false if an expression cannot be evaluated.
  private func add(
    to values: inout [Set<DatabaseValue>], _ places: [Int], _ rows: [[DatabaseValue]],
    _ columns: [String], _ evaluators: RowEvaluators
  ) -> Bool {
    let statement = SelectStatement(
      selection: .terms(places.map { .expression(parts[$0].node) }), from: table.id)
    // The last row, with only NULLs, stands for a row that a left join did not find.
    let rows = rows + [columns.map { _ in .null }]
    let results = try? evaluators.evaluating(rows, columns: columns, in: table.shadow) { core in
      try core.values(of: statement)
    }
    guard let results, results.count == rows.count else { return false }
    for (number, result) in results.enumerated() {
      for (place, value) in zip(places, result) {
        guard number < rows.count - 1 || parts[place].mayBeNull else { continue }
        values[place].insert(value.asGroupKey(parts[place].collation))
      }
    }
    return true
  }

  /// Returns the statements that run after each change. They must find their rows by indexes,
  /// because a scan after each change would take too long.
  func statements() throws -> [RestrictedStatement] { try path?.statements() ?? [] }

  /// Returns sample values. With them, SQLite's query plan shows whether the query for only some
  /// groups would scan a table.
  ///
  /// - Parameter isNull: whether to include NULL for the terms that can be NULL.
  func sample(isNull: Bool) -> Values {
    Values(
      places: parts.map { part in
        (part.place, isNull && part.mayBeNull ? [.integer(0), .null] : [.integer(0), .integer(1)])
      })
  }
}

extension ConnectionCore {
  /// Runs a statement and returns its rows, each as an array of values.
  func values(of statement: SelectStatement) throws -> [[DatabaseValue]] {
    let statement = try lendStatement(for: statement)
    defer { giveBack(statement) }
    var rows: [[DatabaseValue]] = []
    while try step(statement) {
      let row = StatementRow(statement: statement)
      rows.append(try (0..<row.count).map { try row.validValue(at: $0) })
    }
    return rows
  }
}

extension SelectStatement {
  /// Two columns that are equal in all rows of the joins.
  fileprivate struct Equality {
    let first: ColumnID
    let second: ColumnID
    /// The joined table whose ON condition contains this equality between columns. Nil if WHERE
    /// contains the equality.
    let join: TableID?
  }

  fileprivate var equalities: [Equality] {
    var equalities = predicates.flatMap(\.equalColumns).map {
      Equality(first: $0, second: $1, join: nil)
    }
    for join in joins {
      for (first, second) in join.condition?.equalColumns ?? [] {
        // The ON condition of a left join does not limit the rows of earlier tables. So an equality
        // between columns of two earlier tables need not hold in the result.
        guard join.kind != .left || first.table == join.table || second.table == join.table else {
          continue
        }
        equalities.append(Equality(first: first, second: second, join: join.table))
      }
    }
    return equalities
  }
}
