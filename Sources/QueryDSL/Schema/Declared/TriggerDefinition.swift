import SQLCore

/// A trigger that a model declares, as SQL.
package struct TriggerDefinition: Hashable, Sendable {
  package let model: String
  package let name: String
  /// The name of the trigger's table or view.
  package let table: String
  /// `CREATE TRIGGER …`
  package let sql: String

  package init(model: String, name: String, table: String, sql: String) {
    self.model = model
    self.name = name
    self.table = table
    self.sql = sql
  }
}

extension TriggerLine where M: TableModel {
  /// Returns the definition with its SQL. Throws `ModelError` if the declaration is invalid.
  func definition(on layout: ModelLayout) throws -> TriggerDefinition {
    let line = "Trigger(\(name.swiftLiteral))"
    guard !name.isEmpty, !name.utf8.contains(0) else {
      throw ModelError(M.self, "\(line): a name must not be empty or contain U+0000")
    }
    guard M.self is any SQLView.Type == (timing == .insteadOf) else {
      throw ModelError(
        M.self,
        "\(line): a trigger of a view needs `insteadOf:`, and one of a table `before:` or `after:`")
    }
    do {
      let sql = try sql(on: layout)
      guard !sql.utf8.contains(0) else {
        throw QueryError("SQL that contains U+0000 cannot be stored in a schema")
      }
      return TriggerDefinition(
        model: String(nameOf: M.self), name: name, table: layout.tableName, sql: sql)
    } catch let error as QueryError {
      throw ModelError(M.self, "\(line): \(error.message)")
    } catch let error as ColumnValueError {
      throw ModelError(M.self, "\(line): \(error)")
    }
  }

  private func sql(on layout: ModelLayout) throws -> String {
    let old = Columns<M>()
    let new = Columns<M>()
    let rows: TriggerRows
    let event: String
    switch operation {
    case .insert:
      event = "INSERT"
      rows = TriggerRows(rows: [(new.table, .row("NEW"))])
    case .delete:
      event = "DELETE"
      rows = TriggerRows(rows: [(old.table, .row("OLD"))])
    case .update(let paths):
      let columns = try paths.map { path in
        guard let index = layout.index(ofColumn: path) else {
          throw QueryError("`update(of:)` needs columns: `\\.$name`, with the dollar sign")
        }
        return layout.columns[index].quotedName
      }
      event = columns.isEmpty ? "UPDATE" : "UPDATE OF \(columns.joined(separator: ", "))"
      rows = TriggerRows(rows: [(old.table, .row("OLD")), (new.table, .row("NEW"))])
    }
    let (statements, condition) = content(old, new)
    let texts = try statements.flatMap { try $0.texts(rows) }
    guard !texts.isEmpty else { throw QueryError("the trigger has no statement") }
    var when = ""
    if !condition.nodes.isEmpty {
      let text = try rows.text { PredicateNode.write(all: Array(condition.nodes), to: &$0) }
      when = "WHEN \(text)\n"
    }
    let body = texts.map { "  \($0);\n" }.joined()
    return "CREATE TRIGGER \(Identifier(name).quoted) \(SQLComment.mark) "
      + "\(timing.rawValue) \(event) ON \(layout.quotedTableName)\n\(when)BEGIN\n\(body)END"
  }
}

extension ModelLayout {
  /// Returns the triggers that the schema of a model declares.
  func triggers<M: TableModel>(of model: M.Type) throws -> [TriggerDefinition] {
    let elements = schemaElements as? [SchemaElement<M>] ?? M.schema.elements
    return try elements.compactMap { element in
      guard case .trigger(let line) = element.kind else { return nil }
      return try line.definition(on: self)
    }
  }
}

extension TriggerDefinition {
  /// Throws `ModelError` if two different triggers have the same name, because a trigger's name
  /// must be unique in a database. Two models of one table may declare the same trigger.
  static func requireDistinctNames(of triggers: [TriggerDefinition]) throws {
    var known: [String: TriggerDefinition] = [:]
    for trigger in triggers {
      guard let other = known.updateValue(trigger, forKey: trigger.name.lowercasedASCII),
        other.sql != trigger.sql
      else { continue }
      throw ModelError(
        model: trigger.model,
        "\(other.model) and \(trigger.model) declare different triggers with the name "
          + "\(trigger.name), which must be unique in a database; rename one of them")
    }
  }

  /// Returns the trigger with that name, ignoring case.
  package static func named(_ name: String, in triggers: [TriggerDefinition]) -> TriggerDefinition?
  {
    triggers.first { $0.name.isSame(as: name) }
  }
}

extension TriggerDefinition: OwnedObject {
  package var kind: OwnedObjectKind { .trigger(name) }

  package var follower: String? { nil }

  package var definitions: [ExistingSchema.Entry] {
    [ExistingSchema.Entry(kind: .trigger, name: name, table: table, sql: sql)]
  }

  package func change(in migration: OwnedObjectMigration) -> OwnedObjectChange? {
    guard migration.isWhole || migration.drops(view: table) else { return nil }
    let schema = migration.schema
    guard let existing = schema.trigger(name) else { return OwnedObjectChange(creation: [sql]) }
    let isDropped = migration.drops(view: existing.table)
    let isSame = existing.sql?.normalSQL == sql.normalSQL
    if isSame, !isDropped, !schema.renames.mayChange(existing) { return nil }
    guard isSame || mayDrop(existing, in: migration) else {
      return refusal(existing, in: migration)
    }
    return OwnedObjectChange(
      isSame
        ? "a table or column in it is renamed" : "the schema declares another trigger of that name",
      drops: isDropped ? [] : [existing].drops, of: .trigger(existing.name), creation: [sql],
      creationReason: OwnedObjectChange.isDeclared)
  }

  /// Returns whether a migration may drop an existing trigger that has the declared name, but
  /// another definition.
  private func mayDrop(
    _ existing: ExistingSchema.Entry, in migration: OwnedObjectMigration
  ) -> Bool {
    let declared = migration.declared
    return declared.removes(.trigger(existing.name))
      || existing.isOwnTrigger
        && declared.declares(relation: migration.schema.renames.name(ofTable: existing.table))
  }

  private func refusal(
    _ existing: ExistingSchema.Entry, in migration: OwnedObjectMigration
  ) -> OwnedObjectChange {
    let free = name.numbered(separator: "_") { name in
      migration.schema.hasTrigger(name)
        || TriggerDefinition.named(name, in: migration.declared.triggers) != nil
    }
    let owner =
      existing.isOwnTrigger
      ? "a trigger of another model has that name"
      : "a trigger that Apus did not create has that name"
    let renaming = "Trigger(\(free.swiftLiteral), …)"
    let dropping = "Dropped(trigger: \(existing.name.swiftLiteral))"
    return OwnedObjectChange(
      refused: "the trigger \(name) cannot be created: \(owner), on \(existing.table); give the "
        + "trigger another name, or drop the existing one",
      lines: existing.isOwnTrigger ? [renaming, dropping] : [dropping, renaming])
  }
}

/// The parts of a trigger's SQL that show whether it hides changes of its table from the triggers
/// of the change log and of full-text indexes.
struct TriggerText {
  private enum Event: String { case insert, update, delete }

  private let isBefore: Bool
  private let event: Event
  private let body: [SQLTokens.Token]

  /// Parses the SQL of a trigger. Returns nil if the SQL does not create a trigger of a table.
  init?(_ sql: String) {
    let tokens = SQLTokens(sql).tokens
    guard let start = tokens.firstIndex(where: { $0.isWord("trigger") }),
      let begin = tokens.firstIndex(where: { $0.isWord("begin") })
    else { return nil }
    let header = tokens[start..<begin]
    let event = header.lazy.compactMap { token in
      token.kind == .word ? Event(rawValue: token.value.lowercasedASCII) : nil
    }.first
    guard let event, !header.contains(where: { $0.isWord("instead") }) else { return nil }
    self.event = event
    // Without BEFORE or AFTER, SQLite fires a trigger before the change.
    isBefore = !header.contains { $0.isWord("after") }
    body = Array(tokens[begin...].dropFirst())
  }

  /// Returns why this trigger hides changes of the table from the triggers of the change log and of
  /// full-text indexes. Returns nil if it hides none.
  func hidingReason(in table: String) -> String? {
    let writesItself = writes(table)
    if writesItself, isBefore, event != .insert {
      return "it writes \(table) before a row of \(table) is changed, and SQLite leaves the result "
        + "undefined"
    }
    if writesItself, event == .delete {
      return "it writes \(table) after a row of \(table) is deleted; if REPLACE deletes the row, "
        + "SQLite reports rows to triggers that never existed"
    }
    if !isBefore, ignores {
      return "RAISE(IGNORE) after a change keeps the other triggers of the change from running"
    }
    return nil
  }

  /// Returns whether a statement of the trigger writes a table.
  private func writes(_ table: String) -> Bool {
    body.indices.contains { index in
      guard body[index].isName, body[index].value.isSame(as: table), index > 0 else { return false }
      let before = body[..<index]
      guard let last = before.last else { return false }
      // UPDATE OR REPLACE "table"
      let isConflictClause =
        before.count >= 3 && before[index - 2].isWord("or") && before[index - 3].isWord("update")
      return last.isWord("update") || last.isWord("into") || isConflictClause
        || last.isWord("from") && before.count >= 2 && before[index - 2].isWord("delete")
    }
  }

  private var ignores: Bool {
    body.indices.dropLast(2).contains { index in
      body[index].isWord("raise") && body[index + 1].isSign("(")
        && body[index + 2].isWord("ignore")
    }
  }
}

extension TableDefinition {
  /// The feature whose triggers must see every change of the table, such as the change log; nil if
  /// the table has no such feature.
  var follower: String? {
    ownedLines.first?.follower ?? searchIndexes.first?.follower
  }

  /// Throws `ModelError` if a declared trigger would hide changes of its table from the change log
  /// or the full-text index.
  static func requireVisibleChanges(in definitions: [TableDefinition]) throws {
    for trigger in definitions.flatMap(\.triggers) {
      let followed = definitions.filter { $0.name.isSame(as: trigger.table) && $0.follower != nil }
      guard let table = followed.first(where: { !$0.ownedLines.isEmpty }) ?? followed.first,
        let follower = table.follower,
        let reason = TriggerText(trigger.sql)?.hidingReason(in: trigger.table)
      else { continue }
      throw ModelError(
        model: trigger.model,
        "Trigger(\(trigger.name.swiftLiteral)): \(reason), so \(follower) cannot follow; write the "
          + "other rows in the transaction itself, or with a foreign key, or with a trigger after an "
          + "insert or an update")
    }
  }
}

extension ExistingSchema.Entry {
  /// Returns why this trigger hides changes of the table from the change log or a search index.
  /// Returns nil if it hides none, or if the table has neither.
  package func hidingReason(in table: TableDefinition) -> String? {
    guard let follower = table.follower,
      let reason = sql.flatMap({ TriggerText($0)?.hidingReason(in: self.table) })
    else { return nil }
    return "\(reason), so \(follower) cannot follow all changes"
  }
}
