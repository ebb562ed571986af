import SQLCore

extension TablePlanner {
  /// Keeps columns that no model declares, unless a schema drops them.
  mutating func compareUndeclaredColumns() throws {
    for column in existing.columns where !declared.declares(column.name) {
      if declared.removes(.column(column.name)), planner.extent == .whole {
        try drop(column)
      } else if column.generated == nil, !declared.removes(.column(column.name)) {
        try keep(column)
      }
    }
  }

  private mutating func keep(_ column: ExistingTable.Column) throws {
    let name = column.name
    if column.isNotNull, column.defaultText == nil, !existing.isKey(name) {
      let type = (try storageClass(of: column) ?? .text).swiftType
      let undeclared = existing.columns.map(\.name).filter { !declared.declares($0) }
      return refuse(
        "\(name) is NOT NULL and has no default, and no property declares it, so insertions would "
          + "fail; declare it as a property of \(declared.model), or drop it with "
          + "`Dropped(\(name.swiftLiteral))`",
        lines: [
          declared.propertyLine(forColumn: name, type: type, among: undeclared),
          "Dropped(\(name.swiftLiteral))" + losing(try rowCount(), of: name),
        ])
    }
    kept.append(
      PlannedStep(
        MigrationPlan.Step(
          .keepColumn(name), table: declared.name, reason: "no model declares it",
          line: "Dropped(\(name.swiftLiteral))  // loses the values of \(place(of: name))")))
  }

  // MARK: Dropping

  private mutating func drop(_ column: ExistingTable.Column) throws {
    let name = column.name
    let folded = name.lowercasedASCII
    guard !refusesToDrop(name) else { return }
    let rows = try rows(where: "\(oldName(of: name)) IS NOT NULL")
    let isNamed =
      existing.constraints.contains { $0.kind.mentions(folded) }
      || existing.columns.contains { $0.generated?.expression.mentions(folded) ?? false }
      || existing.isKey(name)
    let step = MigrationPlan.Step(
      .dropColumn(name), kind: column.generated == nil ? .destructive : .lossless,
      table: declared.name,
      sql: "ALTER TABLE \(quotedExistingName) DROP COLUMN \(Identifier(name).quoted)",
      reason: "the schema says so", rowCount: rows)
    conversions.append(ConversionNote(forgetting: name, of: declared.name))
    changes.append(
      Change(
        reason: "\(name) is dropped", kind: step.kind, alter: isNamed ? nil : step))
  }

  /// Refuses to drop a column that something else names, unless the schema drops that as well.
  /// Returns whether it refused.
  private mutating func refusesToDrop(_ name: String) -> Bool {
    let folded = name.lowercasedASCII
    var isRefused = false
    func refuse(_ what: String, _ line: String) {
      isRefused = true
      self.refuse("the column \(name) cannot be dropped while \(what) refers to it", line: line)
    }
    for index in indexes where index.mentions(folded) && !comesFromCode(index) {
      if !declared.removes(.index(index.name)) {
        refuse("the index \(index.name)", "Dropped(index: \(index.name.swiftLiteral))")
      }
    }
    for constraint in existing.constraints
    where constraint.kind.mentions(folded) && !isRemoved(constraint) && !isDeclared(constraint) {
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
    for entry in schema.dependents(naming: oldName, name) {
      switch entry.kind {
      case .trigger where !declared.removes(.trigger(entry.name)):
        refuse("the trigger \(entry.name)", "Dropped(trigger: \(entry.name.swiftLiteral))")
      case .view where !declared.removes(.view(entry.name)) && !planner.declares(view: entry.name):
        refuse("the view \(entry.name)", "Dropped(view: \(entry.name.swiftLiteral))")
      default: break
      }
    }
    for reference in schema.references(to: declared.name)
    where !reference.table.isSame(as: declared.name) && !others.removes(reference)
      && reference.key.targetColumns.contains(where: { $0.isSame(as: name) })
    {
      let columns = reference.key.columns.joined(separator: ", ")
      refuse(
        "the foreign key (\(columns)) of \(reference.table)", others.removalLine(of: reference))
    }
    return isRefused
  }
}
