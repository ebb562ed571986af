import QueryDSL
import SQLCore

extension MigrationPlanner {
  // MARK: Dropping views and tables

  func removedViews(_ declared: Declarations, in schema: ExistingSchema) -> [PlannedStep] {
    declared.removals.compactMap { removal in
      guard case .view(let name) = removal, let entry = schema.entry(name), entry.kind == .view,
        !declared.views.contains(where: { $0.name.isSame(as: name) }),
        !declared.tables.contains(where: { $0.name.isSame(as: name) })
      else { return nil }
      return PlannedStep(running: .dropView(entry.name))
    }
  }

  func removedTables(_ declared: Declarations, in schema: ExistingSchema) -> [PlannedStep] {
    declared.removals.flatMap { removal -> [PlannedStep] in
      // If an earlier step renames the table, no table has this name any more, so there is nothing
      // to drop.
      guard case .table(let name) = removal, let entry = schema.entry(name), entry.kind == .table,
        !schema.renames.isGivenAway(name)
      else { return [] }
      let refusals = refusals(ofRemoving: entry.name, declared, in: schema)
      guard refusals.isEmpty else { return refusals.map { PlannedStep($0) } }
      return [
        PlannedStep(
          running: MigrationPlan.Step(
            .dropTable, kind: .destructive, table: entry.name,
            sql: "DROP TABLE \(Identifier(entry.name).quoted)", reason: "the schema says so"),
          touching: .all, of: entry.name)
      ]
    }
  }

  /// Returns the refusals to drop a table. Dropping is refused if a model declares the table, or if
  /// another object refers to it.
  private func refusals(
    ofRemoving name: String, _ declared: Declarations, in schema: ExistingSchema
  ) -> [MigrationPlan.Step] {
    if let table = declared.tables.first(where: { $0.name.isSame(as: name) }) {
      return [
        MigrationPlan.Step(
          .refuse, table: name,
          reason: "`Dropped(table: \(name.swiftLiteral))` is declared, but \(table.model) uses "
            + "that table; remove the line, or give the model's table another name",
          line: table.otherNameLine { declared.takes($0, in: schema) })
      ]
    }
    func refusal(_ what: String, _ line: String) -> MigrationPlan.Step {
      MigrationPlan.Step(
        .refuse, table: name,
        reason: "the table \(name) cannot be dropped while \(what) refers to it", line: line)
    }
    let references = schema.references(to: name).filter { reference in
      !reference.table.isSame(as: name) && !declared.removes(reference)
    }
    let dependents = schema.dependents(naming: name).compactMap { entry in
      switch entry.kind {
      case .trigger
      where !entry.table.isSame(as: name) && !declared.removes(.trigger(entry.name))
        && !declared.manages(entry, renames: schema.renames):
        refusal("the trigger \(entry.name)", "Dropped(trigger: \(entry.name.swiftLiteral))")
      case .view where !declared.removes(.view(entry.name)) && !declares(view: entry.name):
        refusal("the view \(entry.name)", "Dropped(view: \(entry.name.swiftLiteral))")
      default: nil
      }
    }
    return references.map { reference in
      refusal(
        "the foreign key (\(reference.key.columns.joined(separator: ", "))) of \(reference.table)",
        declared.removalLine(of: reference))
    } + dependents
  }

  func declares(view name: String) -> Bool { declaredViews.contains(name.lowercasedASCII) }
}

extension Declarations {
  /// Returns the line that drops the foreign key of another table. A comment in the line names the
  /// schema to which the line belongs.
  func removalLine(of reference: ExistingSchema.Reference) -> String {
    let table = tables.first { $0.name.isSame(as: reference.table) }
    let place = (table?.model ?? reference.table).inComment
    return "\(reference.key.removalLine)  // in the schema of \(place)"
  }

  /// Returns whether the same migration drops a foreign key, either by itself or with its table.
  func removes(_ reference: ExistingSchema.Reference) -> Bool {
    if removes(.table(reference.table)) { return true }
    guard let table = tables.first(where: { $0.name.isSame(as: reference.table) }),
      table.removes(.foreignKey(reference.key.columns))
    else { return false }
    return !table.foreignKeys.contains { key in
      key.target.table.isSame(as: reference.key.target)
        && key.columns.map(\.lowercasedASCII) == reference.key.columns.map(\.lowercasedASCII)
    }
  }
}

extension ExistingSchema {
  /// Returns all views, and the triggers of all tables, whose SQL names the given table.
  fileprivate func dependents(naming table: String) -> [Entry] {
    let table = table.lowercasedASCII
    return entries.filter { entry in
      guard entry.kind == .view || entry.kind == .trigger, let sql = entry.sql else { return false }
      return sql.mentions(table, orBeforePoint: true)
    }
  }
}
