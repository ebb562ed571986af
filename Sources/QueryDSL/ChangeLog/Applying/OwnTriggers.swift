import SQLCore

/// Temporary copies of the triggers by which the library keeps the change log and the full-text
/// indexes of some tables.
///
/// While changes are applied, the triggers of the database are switched off, because what the
/// user's triggers did is among the changes. Temporary triggers fire all the same.
/// - SeeAlso: <https://www.sqlite.org/c3ref/c_dbconfig_defensive.html>
struct OwnTriggers {
  private var names: [String] = []

  /// Creates the copies, in the transaction that is open.
  init(of tables: Set<String>, on connection: Connection) throws {
    let schema = try ExistingSchema(of: connection)
    let indexes = schema.searchIndexes
    let command = "CREATE TRIGGER "
    for trigger in schema.entries where trigger.kind == .trigger {
      guard tables.contains(trigger.table.lowercasedASCII), let sql = trigger.sql,
        sql.hasPrefix(command),
        trigger.isLogTrigger || indexes.contains(where: { $0.owns(trigger) })
      else { continue }
      try connection.execute(SQL(unsafe: "CREATE TEMP TRIGGER " + sql.dropFirst(command.count)))
      names.append(trigger.name)
    }
  }

  /// Drops the copies, before the transaction ends.
  func drop(on connection: Connection) throws {
    for name in names { try connection.execute("DROP TRIGGER temp.\(identifier: name)") }
  }
}
