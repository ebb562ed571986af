import SQLCore

/// The parts of a trigger's SQL that decide whether other triggers of its table can follow it.
struct TriggerText {
  private enum Event: String { case insert, update, delete }

  private let isBefore: Bool
  private let event: Event
  private let body: [SQLTokens.Token]

  /// Returns nil for SQL that is not a trigger of a table.
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
    // Without a word, SQLite fires a trigger before the change.
    isBefore = !header.contains { $0.isWord("after") }
    body = Array(tokens[begin...].dropFirst())
  }

  /// Returns what the trigger does that hides changes of its table from the triggers of the change
  /// log and of full-text indexes; nil if they can follow it.
  func hidingReason(in table: String) -> String? {
    let writesItself = writes(table)
    if writesItself, isBefore, event != .insert {
      return "it writes \(table) before a row of \(table) is changed, the result of which SQLite "
        + "leaves undefined"
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

  /// Whether a statement of the trigger writes a table.
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
  /// Throws `ModelError` if a declared trigger would hide changes from the change log or the full-text
  /// index of its table.
  static func requireVisibleChanges(in definitions: [TableDefinition]) throws {
    for trigger in definitions.flatMap(\.triggers) {
      let tables = definitions.filter { $0.name.isSame(as: trigger.table) }
      let isLogged = tables.contains(where: \.isLogged)
      guard isLogged || tables.contains(where: { !$0.searchIndexes.isEmpty }),
        let reason = TriggerText(trigger.sql)?.hidingReason(in: trigger.table)
      else { continue }
      let follower = isLogged ? "the change log" : "the full-text index"
      throw ModelError(
        model: trigger.model,
        "Trigger(\(trigger.name.swiftLiteral)): \(reason), so \(follower) cannot follow; write the "
          + "other rows in the transaction itself, or with a foreign key, or with a trigger after an "
          + "insert or an update")
    }
  }
}

extension ExistingSchema.Entry {
  /// Returns what a trigger does that hides changes of a table from the change log or the full-text
  /// index, if the table has one of them.
  func hidingReason(in table: TableDefinition) -> String? {
    guard table.isLogged || !table.searchIndexes.isEmpty,
      let reason = sql.flatMap({ TriggerText($0)?.hidingReason(in: self.table) })
    else { return nil }
    let follower = table.isLogged ? "the change log" : "the full-text index"
    return "\(reason), so \(follower) cannot follow all changes"
  }
}
