import SQLCore

// Temporary triggers and views belong to one connection, and are in no file. SQLite drops them when
// the connection is closed.
// https://www.sqlite.org/lang_createtrigger.html#temp_triggers_on_non_temp_tables

extension Connection {
  /// Creates triggers that exist only on this connection. SQL: `CREATE TEMP TRIGGER …`
  ///
  /// ```swift
  /// try db.write { tx in
  ///   try tx.createTemporaryTriggers(of: Post.self) {
  ///     Trigger("count_titles", after: .update(of: \.$title)) { old, new in
  ///       Author.update { $0.$views += 1 }.where { $0.$id == new.$authorID }
  ///     }
  ///   }
  /// }
  /// ```
  /// The connection that writes keeps them until the database is closed, and no other program's
  /// writes fire them. To drop one, run `DROP TRIGGER temp."count_titles"`. A line that is not a
  /// `Trigger` throws `ModelError`, and a name that a temporary trigger has already throws
  /// `DatabaseError`. One statement for each trigger.
  public func createTemporaryTriggers<M: TableModel>(
    of model: M.Type, @SchemaBuilder<M> _ lines: () -> Schema<M>
  ) throws {
    let layout = try M.layout
    for element in lines().elements {
      guard case .trigger(let line) = element.kind else {
        throw ModelError(M.self, "createTemporaryTriggers(of:): only a Trigger can be temporary")
      }
      try createTemporary(try line.definition(on: layout).sql)
    }
  }

  /// Creates a view, with its triggers, that exists only on this connection.
  /// SQL: `CREATE TEMP VIEW "Recent" AS SELECT …`
  ///
  /// Only the connection that writes can have one: query it in `write`. The view is not declared
  /// among the models of the database. To drop it, run
  /// `DROP VIEW temp."Recent"`. One statement, and one for each trigger.
  public func createTemporaryView<V: SQLView>(_ view: V.Type) throws {
    let definition = try ViewDefinition(of: view)
    try createTemporary(definition.createView)
    for trigger in definition.triggers { try createTemporary(trigger.sql) }
  }

  /// Runs a `CREATE …` as `CREATE TEMP …`.
  private func createTemporary(_ sql: String) throws {
    try execute(SQL(unsafe: "CREATE TEMP" + sql.dropFirst("CREATE".count)))
  }
}
