import QueryDSL
import SQLCore

/// The columns by which the rows of a maintained query are grouped. Without GROUP BY, all rows are
/// one group.
struct PlannedGroups: Sendable {
  let columns: [ColumnID]
  /// The names of the columns in their tables.
  let names: [String]
  /// Whether each column may be NULL, as the models declare it.
  private let areOptional: [Bool]

  /// Throws a `RerunReason` if the rows of the result are not identified by the values of columns,
  /// or show more of their groups than these and aggregates.
  init(of select: SelectStatement, in tables: [PlannedTable]) throws {
    guard let columns = select.groupColumns else {
      throw RerunReason("it groups by an expression that is not a column")
    }
    var names: [String] = []
    var areOptional: [Bool] = []
    for column in columns {
      guard let table = tables.first(where: { $0.id == column.table }) else {
        throw RerunReason("it groups by a column of something other than the table of a model")
      }
      let declared = table.layout.columns[Int(column.index)]
      guard try table.collation(of: Int(column.index)) == .binary else {
        throw RerunReason(
          "it groups by \(table.layout.tableName).\(declared.name), whose collation takes different "
            + "texts for equal")
      }
      names.append(declared.name)
      areOptional.append(declared.type.isOptional)
    }
    (self.columns, self.names, self.areOptional) = (columns, names, areOptional)
    let shown = try select.withoutAggregates(of: tables).shownColumns
    if let column = shown.subtracting(columns).first {
      let layout = LayoutRegistry.shared.layout(number: column.table.layout)
      throw RerunReason(
        "it shows \(layout?.columns[Int(column.index)].name ?? "a column") of an arbitrary row of "
          + "each group")
    }
  }

  /// Returns a statement with the condition that the columns have the values of some groups. With
  /// several columns, the rows may also have any other combination of their values.
  func restricting(
    _ statement: SelectStatement, to groups: [[DatabaseValue]]
  ) -> SelectStatement {
    var statement = statement
    for (place, column) in columns.enumerated() {
      statement.restrict(column, toAny: Set(groups.map { $0[place] }))
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
        columns.map { _ in .integer(0) }, columns.map { _ in .integer(1) },
        areOptional.map { $0 ? .null : .integer(0) },
      ]
      try context.connection.use().requireIndexes(
        for: [RestrictedStatement(restricting(statement, to: sample), after: table)])
      return nil
    } catch let reason as RerunReason {
      return reason
    }
  }
}

extension SelectStatement {
  /// Adds the condition that a column has one of the given values, which may include NULL.
  mutating func restrict(_ column: ColumnID, toAny values: Set<DatabaseValue>) {
    restrict(column, to: values.filter { $0 != .null }, orNull: values.contains(.null))
  }

  /// Returns the query with constants in place of its aggregates. Throws a `RerunReason` if an
  /// expression cannot be analysed, or if an aggregate gives one of several values that a collation
  /// takes for equal: which of them depends on the order in which SQLite reads the rows.
  fileprivate func withoutAggregates(of tables: [PlannedTable]) throws -> SelectStatement {
    do {
      return try replacingAggregates { aggregate in
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
