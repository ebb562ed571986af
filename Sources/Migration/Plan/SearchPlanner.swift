import QueryDSL
import SQLCore

/// Plans the full-text indexes that models declare: which are created, filled again and dropped.
///
/// An index names a table and its columns, and its triggers name the index. So all of them are
/// dropped before all other steps and created after them. The order of the triggers among those of
/// the table does not matter.
struct SearchPlanner {
  let declared: Declarations
  let schema: ExistingSchema
  /// The steps that come before all others, and those that come after them.
  private(set) var first: [PlannedStep] = []
  private(set) var last: [PlannedStep] = []

  init(
    _ declared: Declarations, in schema: ExistingSchema, extent: MigrationPlanner.Extent,
    changes: [PlannedStep]
  ) {
    self.declared = declared
    self.schema = schema
    // While the user's own steps still read the old columns, indexes stay as they are, unless a
    // renaming breaks them.
    let existing = schema.searchIndexes
    for index in declared.searchIndexes {
      plan(index, existing.first { $0.name.isSame(as: index.name) }, extent, changes)
    }
    for index in existing
    where SearchIndexDefinition.named(index.name, in: declared.searchIndexes) == nil {
      planUndeclared(index, extent)
    }
  }

  // MARK: Declared indexes

  private mutating func plan(
    _ index: SearchIndexDefinition, _ existing: ExistingSearchIndex?,
    _ extent: MigrationPlanner.Extent, _ changes: [PlannedStep]
  ) {
    guard let existing else {
      if let owner = foreignOwner(ofNameOf: index) {
        first.append(refusal(of: index, owner))
      } else if extent == .whole {
        last.append(creation(of: index, "the schema declares it"))
      }
      return
    }
    let isRenamed = schema.renames.touch(existing)
    let isRenewed = !isRenamed && existing.hasOnlyFormerTriggers(of: index, in: schema)
    if isRenewed, extent == .whole { last.append(renewal(of: index, existing)) }
    if isRenamed || extent == .whole && !isRenewed && !existing.equals(index, in: schema) {
      let reason = isRenamed ? "a name in it is changed" : "the schema declares it differently"
      first.append(drop(of: existing, index.table, reason))
      last.append(creation(of: index, reason))
    } else if changes.contains(where: { $0.changesValues(of: index) }) {
      let hasNotes = isRenewed || schema.pendingTable(index.pendingTable) != nil
      let statements = (hasNotes ? [index.forgetting] : []) + [index.rebuild]
      last.append(
        PlannedStep(
          MigrationPlan.Step(
            .fillSearchIndex(index.name), table: index.table,
            sql: statements.joined(separator: ";\n"), reason: "its table has other values"),
          .statements(statements)))
    }
  }

  /// Returns the step that replaces the triggers of an earlier version. The index stays as it is.
  private func renewal(
    of index: SearchIndexDefinition, _ existing: ExistingSearchIndex
  ) -> PlannedStep {
    let statements =
      dropTriggers(of: existing) + [index.createPending] + index.triggers.map(\.sql)
    return PlannedStep(
      MigrationPlan.Step(
        .createSearchIndex(index.name), table: index.table,
        sql: statements.joined(separator: ";\n"),
        reason: "its triggers are those of an earlier version; the index itself stays"),
      .statements(statements))
  }

  private func dropTriggers(of index: ExistingSearchIndex) -> [String] {
    schema.triggers(of: index.table).filter(index.owns)
      .map { "DROP TRIGGER \(Identifier($0.name).quoted)" }
  }

  private func drop(
    of index: ExistingSearchIndex, _ table: String, _ reason: String
  ) -> PlannedStep {
    let tables = [index.name] + [schema.pendingTable(index.pendingTable)?.name].compactMap(\.self)
    let statements =
      dropTriggers(of: index) + tables.map { "DROP TABLE \(Identifier($0).quoted)" }
    return PlannedStep(
      MigrationPlan.Step(
        .dropSearchIndex(index.name), table: table, sql: statements.joined(separator: ";\n"),
        reason: reason),
      .statements(statements))
  }

  private func creation(of index: SearchIndexDefinition, _ reason: String) -> PlannedStep {
    // Triggers and notes that have outlived their index are in the way.
    let isNew = !schema.searchIndexes.contains { $0.name.isSame(as: index.name) }
    let triggers = isNew ? index.triggers.compactMap { schema.trigger($0.name) } : []
    let pending = isNew ? schema.pendingTable(index.pendingTable) : nil
    let statements =
      triggers.map { "DROP TRIGGER \(Identifier($0.name).quoted)" }
      + (pending.map { ["DROP TABLE \(Identifier($0.name).quoted)"] } ?? [])
      + index.creation + index.triggers.map(\.sql)
    return PlannedStep(
      MigrationPlan.Step(
        .createSearchIndex(index.name), table: index.table,
        sql: statements.joined(separator: ";\n"), reason: reason),
      .statements(statements))
  }

  /// Returns what has the name of an index or of one of its triggers, if Apus did not create it.
  private func foreignOwner(ofNameOf index: SearchIndexDefinition) -> String? {
    for name in [index.name, index.pendingTable] where schema.pendingTable(name) == nil {
      if let entry = schema.entry(name) { return "the \(entry.kind.rawValue) \(entry.name)" }
    }
    return index.triggers.lazy.compactMap { schema.trigger($0.name) }
      .first { !$0.isOwnTrigger || !$0.table.isSame(as: index.table) }
      .map { "the trigger \($0.name)" }
  }

  private func refusal(of index: SearchIndexDefinition, _ owner: String) -> PlannedStep {
    let free = index.name.numbered(separator: "_") { declared.takes($0, in: schema) }
    return PlannedStep(
      MigrationPlan.Step(
        .refuse, table: index.table,
        reason:
          "the full-text index \(index.name) cannot be created: Apus did not create \(owner); "
          + "give the index another name", line: "FullText(…, name: \(free.swiftLiteral))"))
  }

  // MARK: Indexes that are no longer declared

  private mutating func planUndeclared(
    _ index: ExistingSearchIndex, _ extent: MigrationPlanner.Extent
  ) {
    let isDropped = declared.removes(.searchIndex(index.name))
    let isTableDropped = declared.removes(.table(index.table))
    let table = schema.renames.name(ofTable: index.table)
    guard declared.declares(relation: table) || isDropped || isTableDropped else { return }
    let isRenamed = schema.renames.touch(index)
    guard isRenamed || extent == .whole else { return }
    let reason =
      isDropped || isTableDropped
      ? "the schema says so"
      : isRenamed ? "a name in it is changed" : "the schema no longer declares it"
    var step = drop(of: index, table, reason)
    // An index that a newer program may have created is kept, unless it would no longer work.
    if !isDropped, !isTableDropped, !isRenamed {
      step.keeping = MigrationPlan.Step(
        .keepDeclaration("the full-text index \(index.name)"), table: table,
        reason: "no model declares it, and a newer program may have created it",
        line: "Dropped(fullText: \(index.name.swiftLiteral))")
    }
    first.append(step)
  }
}

extension PlannedStep {
  /// Whether the step replaces rows of an indexed table, or their values, without its triggers.
  fileprivate func changesValues(of index: SearchIndexDefinition) -> Bool {
    guard case .rebuild(let rebuild) = work, rebuild.table.isSame(as: index.table) else {
      return false
    }
    return !(index.columns + [index.key]).allSatisfy { name in
      rebuild.sources.contains { $0.column.isSame(as: name) && $0.isSame }
    }
  }
}

extension Renames {
  /// Whether a renaming changes a name in the definition of an index.
  fileprivate func touch(_ index: ExistingSearchIndex) -> Bool {
    isGivenAway(index.table)
      || columns(ofFormer: index.table).contains { column in
        index.names.contains { $0.isSame(as: column.from) }
      }
  }
}

extension ExistingSearchIndex {
  /// Whether the index and its triggers are exactly the declared ones.
  fileprivate func equals(_ index: SearchIndexDefinition, in schema: ExistingSchema) -> Bool {
    let triggers = schema.triggers(of: table).filter(owns)
    return sql == index.createTable && triggers.count == index.triggers.count
      && schema.pendingTable(pendingTable)?.sql == index.createPending
      && triggers.allSatisfy { TriggerDefinition.named($0.name, in: index.triggers)?.sql == $0.sql }
  }

  /// Whether the index is the declared one with the triggers of an earlier version, and agrees with
  /// the table: with those, a trigger that the library did not create could put it out of step.
  fileprivate func hasOnlyFormerTriggers(
    of index: SearchIndexDefinition, in schema: ExistingSchema
  ) -> Bool {
    let triggers = schema.triggers(of: table).filter { !$0.isLogTrigger }
    let former = SearchIndexDefinition.formerTriggerSuffixes.map { name + $0 }
    return sql == index.createTable && schema.entry(pendingTable) == nil
      && triggers.count == former.count && triggers.allSatisfy(owns)
      && former.allSatisfy { name in
        triggers.contains { $0.name.isSame(as: name) && $0.hasFormerSearchTrigger }
      }
  }
}

extension ExistingSchema.Entry {
  /// Whether the text is that of a search trigger of an earlier version, which fires after each
  /// event and deletes the values of `OLD`.
  fileprivate var hasFormerSearchTrigger: Bool {
    sql.map { $0.contains("\nBEGIN\n  INSERT INTO ") && !$0.contains(" SELECT ") } ?? false
  }
}
