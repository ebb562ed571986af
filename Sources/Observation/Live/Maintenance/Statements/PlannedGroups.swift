import QueryDSL
import SQLCore

/// The columns and other expressions in the GROUP BY of a maintained query. Without GROUP BY, all
/// rows are one group.
struct PlannedGroups: Sendable {
  let nodes: [ExpressionNode]
  /// The collation of each term. It decides whether two texts are in the same group.
  let collations: [BuiltInCollation]
  /// The GROUP BY terms that are plain columns.
  let columns: [ColumnID]
  /// The names that `columns` have in their tables.
  let names: [String]
  /// The indices in `nodes` at which the GROUP BY terms in `columns` stand.
  private let places: [Int]
  /// For each GROUP BY term, whether it may be NULL according to the models.
  private let areOptional: [Bool]
  /// One aggregate for each term whose values may be equal but not identical, such as 1 and 1.0.
  /// The aggregate counts the rows whose value is not an INTEGER.
  let otherClassCounts: [ExpressionNode]
  /// Whether the query groups by the whole key of a table and also shows other columns of that
  /// table. A group then has one row of that table.
  let showsDependentColumns: Bool

  /// Throws a `RerunReason` if the GROUP BY terms do not identify the rows of the result, or if the
  /// query shows a column whose value comes from an arbitrary row of the group.
  ///
  /// - Parameter select: the query. If a collation considers several values of a group equal, the
  ///   query must select the least of them.
  init(of select: SelectStatement, in tables: [PlannedTable]) throws {
    nodes = select.groups
    collations = try select.groupCollations(in: tables)
    var columns: [ColumnID] = []
    var places: [Int] = []
    var names: [String] = []
    var areOptional: [Bool] = []
    for (place, node) in select.groups.enumerated() {
      guard case .column(let column) = node else {
        areOptional.append(true)
        continue
      }
      guard let table = tables.first(where: { $0.id == column.table }) else {
        throw RerunReason("it groups by a column of something other than the table of a model")
      }
      let declared = table.layout.columns[Int(column.index)]
      columns.append(column)
      places.append(place)
      names.append(declared.name)
      areOptional.append(declared.type.isOptional)
    }
    (self.columns, self.names, self.areOptional) = (columns, names, areOptional)
    self.places = places
    otherClassCounts = select.otherClassCounts { column in
      tables.contains { $0.id == column.table && $0.isUniform(column) }
    }
    let exact = Set(
      zip(select.groups, collations).compactMap { group, collation in
        guard collation == .binary, case .column(let column) = group else { return nil }
        return column
      } as [ColumnID])
    let shown = try select.withoutAggregates(of: tables, collations).shownColumns
    let keyed = Set(
      tables.filter { $0.hasCompleteKeys && exact.isSuperset(of: $0.keyColumns) }.map(\.id))
    let others = shown.subtracting(exact)
    showsDependentColumns = !others.isEmpty
    if let column = others.first(where: { !keyed.contains($0.table) }) {
      let layout = LayoutRegistry.shared.layout(number: column.table.layout)
      throw RerunReason(
        "it shows \(layout?.columns[Int(column.index)].name ?? "a column") of an arbitrary row of "
          + "each group")
    }
  }

  /// Whether the query groups by an expression that is not a column.
  var hasExpressions: Bool { columns.count < nodes.count }

  /// Returns the key of the group with the given values.
  func key(of values: [DatabaseValue]) -> RowKey {
    .values(zip(values, collations).map { $0.asGroupKey($1) })
  }

  /// Returns the values of `columns`, taken from all values of a group's key.
  func columnValues(of group: [DatabaseValue]) -> [DatabaseValue] { places.map { group[$0] } }

  /// Returns whether the rows of a group have values that are equal but not identical, such as 1
  /// and 1.0. In this case, the value that the result shows depends on which row of the group
  /// SQLite chooses.
  ///
  /// - Parameters:
  ///   - count: the number of rows.
  ///   - others: for each term in `otherClassCounts`, the number of rows whose value is not an
  ///     INTEGER.
  static func hasEqualValues(
    _ count: DatabaseValue?, _ others: some Sequence<DatabaseValue>
  ) -> Bool {
    others.contains { $0 != .integer(0) && $0 != count }
  }

  /// Returns an expression for each value of a group's key. For a GROUP BY term that is a column,
  /// this is the column. For any other term, it is the known value.
  func keyNodes(of group: [DatabaseValue]) -> [ExpressionNode] {
    nodes.enumerated().map { place, node in
      if case .column = node { node } else { .value(.value(group[place])) }
    }
  }

  /// Adds the condition that the GROUP BY term with the index `place` has one of the given values.
  /// The values may include NULL.
  func restrict(_ statement: inout SelectStatement, at place: Int, to values: Set<DatabaseValue>) {
    statement.restrict(
      nodes[place], to: values.filter { $0 != .null }, orNull: values.contains(.null))
  }

  /// Returns the statement, limited to the given groups. If GROUP BY has several terms, the
  /// statement may also select other groups, whose terms combine the given values in another way.
  func restricting(
    _ statement: SelectStatement, to groups: [[DatabaseValue]]
  ) -> SelectStatement {
    var statement = statement
    for place in nodes.indices {
      restrict(&statement, at: place, to: Set(groups.map { $0[place] }))
    }
    return statement
  }

  /// Returns nil if a statement on a reader can calculate single groups of the result. Otherwise,
  /// returns the reason why no statement can do so.
  func obstacle(
    to statement: SelectStatement, of table: PlannedTable, in context: PlanningContext
  ) throws -> RerunReason? {
    do {
      try context.requireLog()
      let sample: [[DatabaseValue]] = [
        nodes.map { _ in .integer(0) }, nodes.map { _ in .integer(1) },
        areOptional.map { $0 ? .null : .integer(0) },
      ]
      try context.connection.use().requireIndexes(
        for: [RestrictedStatement(restricting(statement, to: sample), after: table)])
      return nil
    } catch let reason as RerunReason {
      guard hasExpressions else { return reason }
      return RerunReason(
        "it groups by an expression, and \(reason.text)", scanningSQL: reason.scanningSQL)
    }
  }
}

extension SelectStatement {
  /// Returns the collations of the GROUP BY terms. Throws a `RerunReason` if a collation is not one
  /// of SQLite's own.
  fileprivate func groupCollations(in tables: [PlannedTable]) throws -> [BuiltInCollation] {
    try groups.map { try $0.builtInCollation(in: tables) }
  }

  /// Returns the indices of the GROUP BY terms whose collation considers different texts equal.
  private static func folded(_ collations: [BuiltInCollation]) -> Set<Int> {
    Set(collations.indices.filter { collations[$0] != .binary })
  }

  /// Returns a query that selects the least value if the collation of a GROUP BY term considers
  /// several values of a group equal. In the original query, SQLite chooses any of these values.
  func selectingLeastValues(in tables: [PlannedTable]) throws -> SelectStatement {
    do {
      return try selectingLeastValues(ofGroups: Self.folded(groupCollations(in: tables)))
    } catch let error as QueryError {
      throw RerunReason("it cannot be followed: \(error.message)")
    }
  }

  /// Returns the query with constants in place of its aggregates and its GROUP BY terms. Throws a
  /// `RerunReason` if an expression cannot be analysed.
  ///
  /// Also throws a `RerunReason` if `min` or `max` has an argument whose collation considers
  /// several values equal, because SQLite's choice depends on the order in which it reads the rows.
  fileprivate func withoutAggregates(
    of tables: [PlannedTable], _ collations: [BuiltInCollation]
  ) throws -> SelectStatement {
    let folded = Self.folded(collations)
    do {
      return try withoutOrder(byGroups: folded).markingGroups(except: folded)
        .replacingAggregates { aggregate in
          if aggregate.name == "min" || aggregate.name == "max", let argument = aggregate.argument,
            try argument.builtInCollation(in: tables) != .binary
          {
            throw RerunReason(
              "\(aggregate.name) has an argument whose collation takes different texts for equal")
          }
          return .value(.value(.null))
        }
    } catch let error as QueryError {
      throw RerunReason("it cannot be followed: \(error.message)")
    }
  }
}

extension SelectStatement {
  /// Replaces DISTINCT by a GROUP BY of the selected expressions. If the whole key of a table is
  /// selected, groups by the key, without the table's other columns. Throws a `RerunReason` if this
  /// is not possible.
  func groupingInsteadOfDistinct(in tables: [PlannedTable]) throws -> SelectStatement {
    guard isDistinct else { return self }
    let reason = RerunReason("it selects DISTINCT rows of groups or of constants")
    guard !isGrouped else { throw reason }
    let nodes = selectedNodes
    guard nodes.allSatisfy(\.groupsRows) else { throw reason }
    let columns = Set(nodes.compactMap(\.columnID))
    let keyed = tables.filter { $0.hasCompleteKeys && columns.isSuperset(of: $0.keyColumns) }
    var statement = self
    statement.isDistinct = false
    if keyed.count == tables.count { return statement }
    let keys = Set(keyed.flatMap(\.keyColumns))
    var seen: Set<ColumnID> = []
    statement.groups = nodes.filter { node in
      guard let column = node.columnID else { return true }
      guard keys.contains(column) || !keyed.contains(where: { $0.id == column.table }) else {
        return false
      }
      return seen.insert(column).inserted
    }
    return statement
  }
}

extension ExpressionNode {
  /// Whether the expression may be a GROUP BY term. A constant may not: `GROUP BY 1` would mean the
  /// first selected column.
  var groupsRows: Bool {
    switch self {
    case .column, .chain, .tree: true
    default: false
    }
  }
}

/// A statement that a plan runs after a change. It must find its rows by indexes.
struct RestrictedStatement {
  let text: String
  /// The table whose changes make the statement run.
  let changed: PlannedTable

  init(text: String, changed: PlannedTable) {
    (self.text, self.changed) = (text, changed)
  }

  init(_ statement: SelectStatement, after changed: PlannedTable) throws {
    var statement = statement
    statement.order = .none
    self.init(text: try statement.rendered().text, changed: changed)
  }
}

extension ConnectionCore {
  /// Throws a `RerunReason` if any of the statements would scan a table.
  func requireIndexes(for statements: [RestrictedStatement]) throws {
    var first: String?
    var scanning: [String] = []
    for statement in statements where !scanning.contains(statement.text) {
      guard let table = try scannedTables(by: statement.text).first else { continue }
      scanning.append(statement.text)
      first =
        first
        ?? "after a change of \(statement.changed.layout.tableName), SQLite would scan \(table) to "
        + "find what to evaluate"
    }
    if let first { throw RerunReason(first, scanningSQL: scanning) }
  }

  /// Runs a statement and returns its rows, each as an array of values; nil if there are more than
  /// `maximum`.
  func keys(of statement: SelectStatement, maximum: Int) throws -> KeySet? {
    var statement = statement
    statement.limitRows(to: maximum + 1)
    let lent = try lendStatement(for: statement)
    defer { giveBack(lent) }
    var keys: KeySet = []
    while try step(lent) {
      let row = StatementRow(statement: lent)
      keys.insert(try (0..<row.count).map { try row.validValue(at: $0) })
    }
    return keys.count <= maximum ? keys : nil
  }
}
