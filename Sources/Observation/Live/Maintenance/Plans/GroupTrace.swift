import QueryDSL
import SQLCore

/// The columns of a table that show to which groups of a join its rows belong.
///
/// They are the columns by which the query groups, and other columns that a condition of the join
/// makes equal to these. With `GROUP BY feed.id` and `item.feed = feed.id`, an item shows its
/// group. An expression in GROUP BY is calculated from the row. From other tables, such as the
/// tables of subqueries, a `RowPath` leads to the rows that have the columns of the groups.
struct GroupTrace: Sendable {
  private struct Part {
    /// The place among the terms of GROUP BY.
    let place: Int
    /// The value of the group at this place, as an expression over the table's own row.
    let node: ExpressionNode
    /// The name of the table's own column, folded, if that is the value.
    let column: String?
    /// The collation of the GROUP BY term.
    let collation: BuiltInCollation
    /// Whether the group may also have the value that a row of NULLs has there, because a left join
    /// found no row.
    let mayBeNull: Bool
  }

  let table: PlannedTable
  private let parts: [Part]
  /// The way to the only part, which then is a column of another table; nil if the table's own
  /// columns determine its groups.
  private let path: RowPath?

  /// Throws a `RerunReason` if the rows of the table do not say which groups they belong to.
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
      // The columns must be of one table. Then either a row gives the values of all of them, or all
      // are NULL, because a left join found no row.
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
          // If the row is missing, its column is NULL, and IS considers another NULL equal.
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

  /// Makes a trace that follows links to a column of GROUP BY. Throws a `RerunReason` if there are
  /// no such links.
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

  /// The place of the first GROUP BY term whose values the trace gives.
  var firstPlace: Int { parts[0].place }

  /// Values of some of the GROUP BY terms.
  struct Values {
    fileprivate(set) var places: [(place: Int, values: Set<DatabaseValue>)]

    /// The number of combinations of the values.
    var count: Int {
      places.reduce(1) {
        let (count, overflows) = $0.multipliedReportingOverflow(by: $1.values.count)
        return overflows ? .max : count
      }
    }

    /// Returns whether a group has one of the values at each place.
    func contains(_ key: RowKey) -> Bool {
      places.allSatisfy { $0.values.contains(key.values[$0.place]) }
    }
  }

  /// The outcome of looking for the groups of touched rows.
  enum Outcome {
    case untouched
    case groups(Values)
    /// A value is not known exactly.
    case unknown
  }

  /// Returns whether commits touched rows that may belong to a group.
  func isTouched(by commits: [Commit], _ values: [DatabaseValue]) -> Bool {
    path?.isTouched(by: commits, values) ?? table.isTouched(by: commits)
  }

  /// Returns the groups of the rows that commits touched: the groups to which the rows belong now,
  /// and the groups to which they belonged before.
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

  /// Adds the values that the expressions at some places have for rows. Returns false if one cannot
  /// be evaluated.
  private func add(
    to values: inout [Set<DatabaseValue>], _ places: [Int], _ rows: [[DatabaseValue]],
    _ columns: [String], _ evaluators: RowEvaluators
  ) -> Bool {
    let statement = SelectStatement(
      selection: .terms(places.map { .expression(parts[$0].node) }), from: table.id)
    // The last row stands for a missing row.
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

  /// The statements that must not scan a table.
  func statements() throws -> [RestrictedStatement] { try path?.statements() ?? [] }

  /// A sample of values, for finding out whether a restricted query would scan.
  ///
  /// - Parameter isNull: whether the groups have NULL where they can.
  func sample(isNull: Bool) -> Values {
    Values(
      places: parts.map { part in
        (part.place, isNull && part.mayBeNull ? [.integer(0), .null] : [.integer(0), .integer(1)])
      })
  }
}

extension ConnectionCore {
  /// Returns the values of all columns of the rows of a statement.
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
    /// The table whose join states the link; nil if a WHERE condition does.
    let join: TableID?
  }

  fileprivate var equalities: [Equality] {
    var equalities = predicates.flatMap(\.equalColumns).map {
      Equality(first: $0, second: $1, join: nil)
    }
    for join in joins {
      for (first, second) in join.condition?.equalColumns ?? [] {
        // The condition of a left join says nothing about earlier tables.
        guard join.kind != .left || first.table == join.table || second.table == join.table else {
          continue
        }
        equalities.append(Equality(first: first, second: second, join: join.table))
      }
    }
    return equalities
  }
}
