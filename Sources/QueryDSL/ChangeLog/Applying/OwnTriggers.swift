import SQLCore

/// Temporary copies of the triggers by which the library keeps the change log and the full-text
/// indexes of some tables.
///
/// While changes are applied, the triggers of the database are switched off, because what the
/// user's triggers did is among the changes. Temporary triggers fire all the same.
/// - SeeAlso: <https://www.sqlite.org/c3ref/c_dbconfig_defensive.html>
struct OwnTriggers {
  private var triggers: [(name: String, sql: String)] = []

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
      triggers.append((trigger.name, "CREATE TEMP TRIGGER " + sql.dropFirst(command.count)))
    }
    try create(on: connection)
  }

  /// Creates the copies again after they were dropped.
  func create(on connection: Connection) throws {
    for trigger in triggers { try connection.execute(SQL(unsafe: trigger.sql)) }
  }

  /// Drops the copies, before the transaction ends.
  func drop(on connection: Connection) throws {
    for trigger in triggers {
      try connection.execute("DROP TRIGGER temp.\(identifier: trigger.name)")
    }
  }
}
