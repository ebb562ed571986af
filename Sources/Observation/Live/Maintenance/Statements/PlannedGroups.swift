import QueryDSL
import SQLCore

/// The columns and other expressions by which the rows of a maintained query are grouped. Without
/// GROUP BY, all rows are one group.
struct PlannedGroups: Sendable {
  let nodes: [ExpressionNode]
  /// The collation of each term, which decides whether texts are in the same group.
  let collations: [BuiltInCollation]
  /// The grouping expressions that are columns.
  let columns: [ColumnID]
  /// The names of the columns in their tables.
  let names: [String]
  /// The places of the columns among the nodes.
  private let places: [Int]
  /// Whether each node may be NULL according to the models.
  private let areOptional: [Bool]
  /// For each term whose rows may have values that are equal but not identical, the number of rows
  /// whose value is not an INTEGER.
  let otherClassCounts: [ExpressionNode]
  /// Whether the query shows other columns of a table whose whole key it groups by. A group then
  /// has one row of that table.
  let showsDependentColumns: Bool

  /// Throws a `RerunReason` if the values of columns do not identify the rows of the result, or if
  /// the rows show more of their groups than these columns and aggregates.
  ///
  /// - Parameter select: the query, which selects the least values where a collation takes several
  ///   for equal.
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

  /// Returns the key of the group that has some values.
  func key(of values: [DatabaseValue]) -> RowKey {
    .values(zip(values, collations).map { $0.asGroupKey($1) })
  }

  /// Returns the values of a group in its columns.
  func columnValues(of group: [DatabaseValue]) -> [DatabaseValue] { places.map { group[$0] } }

  /// Returns whether the rows of a group have values that are equal but not identical, such as 1
  /// and 1.0. Which of them an expression shows depends on the row.
  ///
  /// - Parameters:
  ///   - count: the number of rows.
  ///   - others: for each expression, the number of rows whose value is not an INTEGER.
  static func hasEqualValues(
    _ count: DatabaseValue?, _ others: some Sequence<DatabaseValue>
  ) -> Bool {
    others.contains { $0 != .integer(0) && $0 != count }
  }

  /// Returns the key of a group as expressions over a row that has the values of its columns.
  func keyNodes(of group: [DatabaseValue]) -> [ExpressionNode] {
    nodes.enumerated().map { place, node in
      if case .column = node { node } else { .value(.value(group[place])) }
    }
  }

  /// Adds the condition that the group has one of the given values at one place. The values may
  /// include NULL.
  func restrict(_ statement: inout SelectStatement, at place: Int, to values: Set<DatabaseValue>) {
    statement.restrict(
      nodes[place], to: values.filter { $0 != .null }, orNull: values.contains(.null))
  }

  /// Returns a statement with the condition that the groups have the values of some groups. With
  /// several values each, the rows may also have any other combination of them.
  func restricting(
    _ statement: SelectStatement, to groups: [[DatabaseValue]]
  ) -> SelectStatement {
    var statement = statement
    for place in nodes.indices {
      restrict(&statement, at: place, to: Set(groups.map { $0[place] }))
    }
    return statement
  }

  /// Returns the reason why groups cannot be evaluated again in a reader; nil if they can.
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
  /// Returns the collations of the GROUP BY terms. Throws a `RerunReason` if any of them is not one
  /// of SQLite's own.
  fileprivate func groupCollations(in tables: [PlannedTable]) throws -> [BuiltInCollation] {
    try groups.map { try $0.builtInCollation(in: tables) }
  }

  /// The places of the groups whose collation considers different texts equal.
  private static func folded(_ collations: [BuiltInCollation]) -> Set<Int> {
    Set(collations.indices.filter { collations[$0] != .binary })
  }

  /// Returns the query with the least of the values that a group's collation considers equal, in
  /// place of the value that SQLite would choose.
  func selectingLeastValues(in tables: [PlannedTable]) throws -> SelectStatement {
    do {
      return try selectingLeastValues(ofGroups: Self.folded(groupCollations(in: tables)))
    } catch let error as QueryError {
      throw RerunReason("it cannot be followed: \(error.message)")
    }
  }

  /// Returns the query with constants in place of its aggregates and of the terms of GROUP BY.
  /// Throws a `RerunReason` if an expression cannot be analysed. Also throws it if an aggregate
  /// returns one of several values that a collation considers equal, because SQLite's choice
  /// depends on the order in which it reads the rows.
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
  /// Returns a query with DISTINCT as a query that groups by the selected expressions. If the whole
  /// key of a table is selected, it groups by the key in place of the table's columns. Throws a
  /// `RerunReason` if that is not possible.
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
  /// Whether GROUP BY may have the expression: `GROUP BY 1` would mean the first selected column.
  var groupsRows: Bool {
    switch self {
    case .column, .chain, .tree: true
    default: false
    }
  }
}

/// A statement that a plan runs after a change, and which must find its rows by indexes.
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

  /// Returns the rows of a statement, as the values of all its columns; nil if there are more than
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
