import SQLCore

/// The change log of a table, as its models declare it: the shape of its changes, and the triggers
/// that write them.
struct LogDefinition: Sendable {
  let shape: LogShape
  let triggers: [TriggerDefinition]

  /// The name of the table.
  var table: String { shape.table }

  /// - Parameter table: a table with a key. Generated columns are not logged, because SQLite
  ///   calculates them from the others.
  init(of table: TableDefinition) {
    let columns = table.columns.filter { $0.generated == nil }.map(\.name)
    let key = table.keyNames.compactMap { name in columns.firstIndex { $0.isSame(as: name) } }
    shape = LogShape(table: table.name, columns: columns, key: key)
    triggers = Self.triggers(of: table, shape: shape)
  }

  // MARK: Triggers

  /// The comment by which a migration recognises the triggers.
  static let mark = "/* Apus log */"

  private static func triggers(
    of table: TableDefinition, shape: LogShape
  ) -> [TriggerDefinition] {
    let quoted = shape.columns.map { Identifier($0).quoted }
    let names = shape.columns.indices.map { LogTables.valueColumns($0) }
    let differences = quoted.map { "OLD.\($0) COLLATE BINARY IS NOT NEW.\($0)" }
    let keyDiffers = shape.key.map { differences[$0] }.joined(separator: " OR ")
    let others = shape.columns.indices.filter { !shape.key.contains($0) }
    let otherDiffers = others.map { differences[$0] }.joined(separator: " OR ")
    func insertion(_ kind: String, _ values: [(column: String, value: String)]) -> String {
      let columns = values.map { "\"\($0.column)\"" }.joined(separator: ", ")
      return "  INSERT INTO \"\(LogTables.change)\" (\"entry\", \"shape\", \"kind\", \(columns)) "
        + "VALUES (\(LogTables.newest), \(shape.id), '\(kind)', "
        + "\(values.map(\.value).joined(separator: ", ")));\n"
    }
    let deleted = insertion("delete", zip(names, quoted).map { ($0.old, "OLD.\($1)") })
    let inserted = insertion("insert", zip(names, quoted).map { ($0.new, "NEW.\($1)") })
    // Of the other columns, only values that differ are logged.
    let updated = insertion(
      "update",
      shape.key.map { (names[$0].old, "OLD.\(quoted[$0])") }
        + others.flatMap { index in
          [(names[index].old, "OLD"), (names[index].new, "NEW")].map { column, row in
            (column, "CASE WHEN \(differences[index]) THEN \(row).\(quoted[index]) END")
          }
        })
    let insert = trigger("insert", of: table, "INSERT", inserted)
    let delete = trigger("delete", of: table, "DELETE", deleted)
    // A row that gets another key is another row.
    let rekey = trigger("key", of: table, "UPDATE", deleted + inserted, when: keyDiffers)
    guard !others.isEmpty else { return [insert, rekey, delete] }
    let update = trigger(
      "update", of: table, "UPDATE", updated, when: "NOT (\(keyDiffers)) AND (\(otherDiffers))")
    return [insert, update, rekey, delete]
  }
}

extension LogDefinition {
  private static func trigger(
    _ suffix: String, of table: TableDefinition, _ event: String, _ body: String,
    when condition: String? = nil
  ) -> TriggerDefinition {
    let name = "\(table.name)_log_\(suffix)"
    return TriggerDefinition(
      model: table.model, name: name, table: table.name,
      sql: "CREATE TRIGGER \(Identifier(name).quoted) \(mark) AFTER \(event) ON "
        + "\(table.quotedName)\n" + (condition.map { "WHEN \($0)\n" } ?? "")
        + "BEGIN\n  \(LogTables.opening);\n\(body)END")
  }
}

extension [LogDefinition] {
  /// Returns the log of the table with that name, ignoring case.
  func named(_ table: String) -> LogDefinition? { first { $0.table.isSame(as: table) } }
}

extension ExistingSchema.Entry {
  /// Whether the trigger writes the change log.
  var isLogTrigger: Bool {
    guard kind == .trigger, let sql else { return false }
    let text = SQLTokens(sql)
    return text.tokens.count > 3 && text.comments(before: 3).first?.text == LogDefinition.mark
  }
}

extension ExistingSchema {
  /// Returns the triggers that write the changes of a table into the log.
  func logTriggers(of table: String) -> [Entry] { triggers(of: table).filter(\.isLogTrigger) }
}
