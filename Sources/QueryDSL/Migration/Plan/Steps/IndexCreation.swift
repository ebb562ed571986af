import SQLCore

/// The creation of a declared index that does not exist.
struct IndexCreation {
  let table: TableDefinition
  let index: TableDefinition.Index
  let schema: ExistingSchema
  /// The present name of the table; nil if the table has yet to be created.
  let former: String?

  var step: PlannedStep {
    PlannedStep(
      running: MigrationPlan.Step(
        .createIndex(table.name(of: index)), table: table.name, sql: table.createIndex(index),
        reason: index.isUnique ? "the schema declares it as unique" : "the schema declares it"))
  }

  /// The refusal if something else has the name of the index; nil if the name is free.
  var refusedName: PlannedStep? {
    let name = table.name(of: index)
    guard let taken = schema.entry(name), former.map({ !taken.table.isSame(as: $0) }) ?? true,
      !schema.renames.isGivenAway(taken.table)
    else { return nil }
    let free = name.numbered(separator: "_") { schema.entry($0) != nil }
    return PlannedStep(
      MigrationPlan.Step(
        .refuse, table: table.name,
        reason:
          "the index \(name) cannot be created: \(taken.kind.rawValue) \(taken.name) has that "
          + "name; give the index another name with `name:`",
        line: index.line(in: table, name: free) ?? "name: \(free.swiftLiteral)"))
  }
}

extension TableDefinition.Index {
  /// The index as a line of a schema; nil if it has more than plain columns.
  fileprivate func line(in table: TableDefinition, name: String) -> String? {
    guard condition == nil, terms.allSatisfy({ $0.normalSQL.count == 1 }) else { return nil }
    return "\(isUnique ? "Unique" : "Index")(\(paths(in: table).joined(separator: ", ")), "
      + "name: \(name.swiftLiteral))"
  }

  /// The columns of the index as key paths, for a line to paste.
  func paths(in table: TableDefinition) -> [String] {
    terms.flatMap { SQLTokens($0).tokens }.compactMap { token in
      table.column(token.value).map(\.type.path)
    }
  }
}
