import SQLCore

/// A trigger that a model declares, as SQL.
struct TriggerDefinition: Hashable, Sendable {
  /// The comment after the name, by which a migration recognises the triggers that it may drop.
  static let mark = "/* Apus */"

  let model: String
  let name: String
  /// The name of the table or view.
  let table: String
  /// `CREATE TRIGGER …`
  let sql: String
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
    var sink = TextSink(writingLiterals: true)
    let event: String
    switch operation {
    case .insert:
      event = "INSERT"
      sink.openRows([(new.table, "NEW")])
    case .delete:
      event = "DELETE"
      sink.openRows([(old.table, "OLD")])
    case .update(let paths):
      let columns = try paths.map { path in
        guard let index = layout.index(ofColumn: path) else {
          throw QueryError("`update(of:)` needs columns: `\\.$name`, with the dollar sign")
        }
        return layout.columns[index].quotedName
      }
      event = columns.isEmpty ? "UPDATE" : "UPDATE OF \(columns.joined(separator: ", "))"
      sink.openRows([(old.table, "OLD"), (new.table, "NEW")])
    }
    let (statements, condition) = content(old, new)
    let texts = try statements.flatMap { try $0.texts(sink) }
    guard !texts.isEmpty else { throw QueryError("the trigger has no statement") }
    var when = ""
    if !condition.nodes.isEmpty {
      try PredicateNode.write(all: Array(condition.nodes), to: &sink)
      when = "WHEN \(sink.text)\n"
    }
    let body = texts.map { "  \($0);\n" }.joined()
    return "CREATE TRIGGER \(Identifier(name).quoted) \(TriggerDefinition.mark) "
      + "\(timing.rawValue) \(event) ON \(layout.quotedTableName)\n\(when)BEGIN\n\(body)END"
  }
}

extension ModelLayout {
  /// Returns the triggers in the schema of the layout's model.
  func triggers<M: TableModel>(of model: M.Type) throws -> [TriggerDefinition] {
    let elements = schemaElements as? [SchemaElement<M>] ?? M.schema.elements
    return try elements.compactMap { element in
      guard case .trigger(let line) = element.kind else { return nil }
      return try line.definition(on: self)
    }
  }
}

extension TriggerDefinition {
  /// Throws `ModelError` if two different triggers have the same name, which must be unique in a
  /// database. Two models of one table may declare the same trigger.
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
  static func named(_ name: String, in triggers: [TriggerDefinition]) -> TriggerDefinition? {
    triggers.first { $0.name.isSame(as: name) }
  }
}

extension ExistingSchema.Entry {
  /// Whether a migration created the trigger, and may therefore drop it.
  var isOwnTrigger: Bool {
    guard kind == .trigger, let sql else { return false }
    let text = SQLTokens(sql)
    // CREATE TRIGGER "name" /* Apus */
    guard text.tokens.count > 3, let comment = text.comments(before: 3).first?.text else {
      return false
    }
    return comment == TriggerDefinition.mark || comment == LogDefinition.mark
  }
}
