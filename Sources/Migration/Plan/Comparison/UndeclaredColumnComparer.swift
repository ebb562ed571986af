import QueryDSL
import SQLCore

/// Finds the columns that no model declares. Such a column stays, unless a schema drops it.
struct UndeclaredColumnComparer: TableComparer {
  let table: TableComparison

  func differences() throws -> [TableDifference] {
    try existing.columns.filter { !declared.declares($0.name) }.flatMap {
      column -> [TableDifference] in
      if declared.removes(.column(column.name)), planner.extent == .whole {
        return try dropping(column)
      }
      guard column.generated == nil, !declared.removes(.column(column.name)) else { return [] }
      return [try keeping(column)]
    }
  }

  private func keeping(_ column: ExistingTable.Column) throws -> TableDifference {
    let name = column.name
    if column.isNotNull, column.defaultText == nil, !existing.isKey(name) {
      return refusal(
        "\(name) is NOT NULL and has no default, and no property declares it, so insertions would "
          + "fail; declare it as a property of \(declared.model), or drop it with "
          + "`Dropped(\(name.swiftLiteral))`", lines: try lines.declaringOrDropping(column))
    }
    return .kept(
      PlannedStep(
        MigrationPlan.Step(
          .keepColumn(name), table: declared.name, reason: "no model declares it",
          line: "Dropped(\(name.swiftLiteral))  // loses the values of \(lines.place(of: name))")))
  }

  // MARK: Dropping

  private func dropping(_ column: ExistingTable.Column) throws -> [TableDifference] {
    let name = column.name
    let folded = name.lowercasedASCII
    let refusals = refusals(ofDropping: name)
    guard refusals.isEmpty else { return refusals }
    let isNamed =
      existing.constraints.contains { $0.kind.mentions(folded) }
      || existing.columns.contains { $0.generated?.expression.mentions(folded) ?? false }
      || existing.isKey(name)
    let kind: MigrationPlan.Step.Kind = column.generated == nil ? .destructive : .lossless
    let step = PlannedStep(
      running: MigrationPlan.Step(
        .dropColumn(name), kind: kind, table: declared.name,
        sql: "ALTER TABLE \(quotedExistingName) DROP COLUMN \(Identifier(name).quoted)",
        reason: "the schema says so"),
      touching: .matching("\(names.quoted(name)) IS NOT NULL"), of: names.table)
    return [
      .conversion(ConversionNote(forgetting: name, of: declared.name)),
      change("\(name) is dropped", kind: kind, alter: isNamed ? nil : step),
    ]
  }

  /// Returns the refusals to drop a column, one for each object that names the column. An object
  /// that the schema also drops is no reason to refuse.
  private func refusals(ofDropping name: String) -> [TableDifference] {
    let folded = name.lowercasedASCII
    var refusals: [TableDifference] = []
    func refuse(_ what: String, _ line: String) {
      refusals.append(
        refusal("the column \(name) cannot be dropped while \(what) refers to it", line: line))
    }
    for index in table.indexes where index.mentions(folded) && !table.comesFromCode(index) {
      if !declared.removes(.index(index.name)) {
        refuse("the index \(index.name)", "Dropped(index: \(index.name.swiftLiteral))")
      }
    }
    for constraint in existing.constraints
    where constraint.kind.mentions(folded) && !table.isRemoved(constraint)
      && !table.isDeclared(constraint)
    {
      refuse(constraint.text, constraint.removalLine)
    }
    for column in existing.columns
    where column.generated?.expression.mentions(folded) ?? false {
      let isGone =
        declared.declares(column.name) || declared.removes(.column(column.name))
      if !isGone {
        refuse("the column \(column.name)", "Dropped(\(column.name.swiftLiteral))")
      }
    }
    let dependents = table.schema.dependents(naming: names.table, name)
    if !declared.removes(.log), !table.others.logs(declared.name),
      dependents.contains(where: { $0.isLogTrigger && $0.table.isSame(as: names.table) })
    {
      refuse("the change log", "NotLogged()")
    }
    for entry in dependents {
      switch entry.kind {
      case .trigger
      where !declared.removes(.trigger(entry.name))
        && !table.others.manages(entry, renames: table.schema.renames):
        refuse("the trigger \(entry.name)", "Dropped(trigger: \(entry.name.swiftLiteral))")
      case .view where !declared.removes(.view(entry.name)) && !planner.declares(view: entry.name):
        refuse("the view \(entry.name)", "Dropped(view: \(entry.name.swiftLiteral))")
      default: break
      }
    }
    for reference in table.schema.references(to: declared.name)
    where !reference.table.isSame(as: declared.name) && !table.others.removes(reference)
      && reference.key.targetColumns.contains(where: { $0.isSame(as: name) })
    {
      let columns = reference.key.columns.joined(separator: ", ")
      refuse(
        "the foreign key (\(columns)) of \(reference.table)",
        table.others.removalLine(of: reference))
    }
    return refusals
  }
}
