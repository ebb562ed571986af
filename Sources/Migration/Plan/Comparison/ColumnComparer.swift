import QueryDSL
import SQLCore

/// Compares a declared column with the existing column of the same name. Compares the generating
/// expression, the values, the collation and the default.
struct ColumnComparer: TableComparer {
  let table: TableComparison
  /// The SQL for those values that the migration changes, of the columns that were compared
  /// earlier. The keys are column names in lower case.
  let sources: [String: TableRebuild.Source]

  func differences(
    _ column: TableDefinition.Column, _ found: ExistingTable.Column
  ) throws -> [TableDifference] {
    var differences = try generationDifferences(column, found)
    if column.generated == nil {
      differences += try valueDifferences(column, found)
    } else if table.checks(column), found.generated != nil {
      differences += try unreadable(column, source: names.quoted(column.name))
    }
    return differences + collationDifferences(column, found) + defaultDifferences(column, found)
  }

  // MARK: Generated columns

  private func generationDifferences(
    _ column: TableDefinition.Column, _ found: ExistingTable.Column
  ) throws -> [TableDifference] {
    switch (column.generated, found.generated) {
    case (nil, nil): return []
    case (let declared?, let existing?):
      guard !declared.isSame(as: existing) else { return [] }
      return [change("\(column.name) is calculated differently")]
    case (let generated?, nil): return [try difference(of: column, calculatedBy: generated)]
    case (nil, .some):
      // No value is lost, because the values that SQLite has calculated stay in the column.
      return [change("\(column.name) is no longer calculated, and keeps its values")]
    }
  }

  /// Returns the difference of an ordinary column that becomes a generated one. Compares its values
  /// with the results of the expression, and refuses the change if a value would be lost.
  private func difference(
    of column: TableDefinition.Column, calculatedBy generated: TableDefinition.Generated
  ) throws -> TableDifference {
    let question = RowQuestion(table: table, sources: sources).asked(generated.expression)
    let lost = try rows.count(
      where: question.map { "\(names.quoted(column.name)) COLLATE BINARY IS NOT (\($0))" } ?? "1")
    guard lost > 0 else { return change("\(column.name) is calculated") }
    let loss =
      question == nil
      ? "its expression uses values that this migration changes as well"
      : "\(lost) of its values would change"
    return refusal(
      "\(column.name) is an ordinary column in the database and a generated one in "
        + "\(declared.model), and \(loss); give the generated column another name, and the old "
        + "column is kept",
      line: "Named(\(column.type.path), \(calculatedName(of: column).swiftLiteral))",
      rows: .some(lost))
  }

  /// Returns a name for the generated column that no other column has.
  private func calculatedName(of column: TableDefinition.Column) -> String {
    func isTaken(_ name: String) -> Bool { existing.column(name) != nil || declared.declares(name) }
    let name = "\(column.name)Calculated"
    return isTaken(name) ? name.numbered(isTaken) : name
  }

  // MARK: Collations and defaults

  private func collationDifferences(
    _ column: TableDefinition.Column, _ found: ExistingTable.Column
  ) -> [TableDifference] {
    if let collation = column.collation {
      guard !collation.isSame(as: found.collation ?? "BINARY") else { return [] }
      return [change("the collation of \(column.name) becomes \(collation)")]
    }
    guard let collation = found.collation, !collation.isSame(as: "BINARY") else { return [] }
    guard !declared.removes(.attribute(column: column.name, .collation)) else {
      return [change("the collation of \(column.name) becomes BINARY")]
    }
    return [
      keep(
        "the collation \(collation) of \(column.name)",
        line: "Dropped(collationOf: \(column.type.path))")
    ]
  }

  private func defaultDifferences(
    _ column: TableDefinition.Column, _ found: ExistingTable.Column
  ) -> [TableDifference] {
    guard column.generated == nil else { return [] }
    if let value = column.defaultSQL {
      if let text = found.defaultText, column.declares(default: text) { return [] }
      return [change("the default of \(column.name) becomes \(value)")]
    }
    guard let value = found.defaultText else { return [] }
    if declared.removes(.attribute(column: column.name, .default)) {
      return [change("\(column.name) loses its default")]
    }
    guard !isImplied(value, in: column) else { return [] }
    return [
      keep(
        "the default \(value) of \(column.name)", line: "Dropped(defaultOf: \(column.type.path))")
    ]
  }

  /// Returns whether a default is the zero or empty value that ALTER TABLE had to declare when it
  /// added the column. Removing such a default would cost a rebuild.
  private func isImplied(_ value: String, in column: TableDefinition.Column) -> Bool {
    !column.isOptional && value.normalSQL == column.fallbackLiteral?.normalSQL
  }
}
