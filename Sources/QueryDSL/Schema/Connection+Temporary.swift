import SQLCore

// Temporary triggers and views belong to one connection, and are not in a file. SQLite drops them
// when the connection is closed. Only a connection that writes needs a temporary trigger, but each
// connection of a pool needs its own copy of a temporary view.
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
  /// The connection that writes keeps the triggers until the database is closed. Writes of other
  /// programs do not fire the triggers. To drop a trigger, run `DROP TRIGGER temp."count_titles"`.
  /// Throws `ModelError` if the closure contains anything other than a `Trigger`, and
  /// `DatabaseError` if a temporary trigger with that name exists. Costs one statement for each
  /// trigger.
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

  /// Runs a CREATE statement with TEMP added: `CREATE TEMP …`.
  private func createTemporary(_ sql: String) throws {
    try execute(SQL(unsafe: sql.temporary))
  }
}

extension Registrar {
  /// Creates a temporary view, with its triggers. The database file does not contain the view. SQL:
  /// `CREATE TEMP VIEW "Recent" AS SELECT …`
  ///
  /// ```swift
  /// try db.createTemporaryView(Recent.self)
  /// let posts = try db.fetch(Recent.where { $0.$views > 100 })
  /// ```
  /// If you call this on a `Database`, each connection of the pool creates the view when the
  /// connection is next used. If you call it on the connection of a `write` closure, only that
  /// connection has the view. You query and observe the view like any other view, but it is not one
  /// of the database's models. It replaces a temporary view of the same name. Throws `ModelError`
  /// if the view's query has other columns than the view declares. Costs two statements for each
  /// connection, and one for each trigger.
  /// - SeeAlso: <https://www.sqlite.org/lang_createview.html>
  public func createTemporaryView<V: SQLView>(_ view: V.Type) throws {
    let definition = try ViewDefinition(of: view)
    try register(
      .temporaryView(
        Identifier(definition.name),
        [definition.createView.temporary] + definition.triggers.map(\.sql.temporary)))
  }
}

extension String {
  /// The CREATE statement with TEMP added: `CREATE TEMP …`.
  fileprivate var temporary: String { "CREATE TEMP" + dropFirst("CREATE".count) }
}
