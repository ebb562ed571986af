import CSQLite

extension Registrar {
  /// Registers a virtual table, or a module for `CREATE VIRTUAL TABLE … USING name`.
  ///
  /// ```swift
  /// try db.virtualTable("lines", .created) { context in try Lines(path: context.arguments[0]) }
  /// try db.execute("CREATE VIRTUAL TABLE log USING lines('/var/log/messages')")
  /// ```
  ///
  /// `make` is called once for each table on each connection that uses it. Throws `DatabaseError`
  /// if the name is invalid.
  /// - Parameters:
  ///   - kind: whether the table exists under its own name, or has to be created.
  ///   - isInnocuous: whether views and triggers may use it.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/create_module.html>
  public func virtualTable<Table: VirtualTable>(
    _ name: String, _ kind: VirtualTableKind, isInnocuous: Bool = false,
    _ make: @escaping @Sendable (VirtualTableContext) throws -> Table
  ) throws {
    let callbacks: VirtualTableCallbacks =
      switch (kind, Table.self is any TransactionalVirtualTable.Type) {
      case (.eponymous, false): .eponymous
      case (.eponymous, true): .writableEponymous
      case (.created, false): .created
      case (.created, true): .writableCreated
      }
    try requireName(name, of: "virtual table")
    try register(
      Registration(.init(kind: .module, name: name.lowercasedASCII)) { core in
        let module = VirtualTableModule(core: core, isInnocuous: isInnocuous, make)
        // If this fails, SQLite releases the module as well.
        try core.check(
          sqlite3_create_module_v2(
            core.handle, name, callbacks.pointer, Unmanaged.passRetained(module).toOpaque()
          ) { pointer in
            if let pointer { Unmanaged<VirtualTableModule>.fromOpaque(pointer).release() }
          })
        // Statements that were prepared with an earlier module of that name are recompiled.
        core.installAuthorizer()
      })
  }

  /// Removes a virtual table. Removing a name that is not registered is not an error.
  ///
  /// Statements that are running finish as they began. Tables that were created stay in the schema,
  /// but cannot be used until the module is registered again.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/create_module.html>
  public func removeVirtualTable(_ name: String) throws {
    try requireName(name, of: "virtual table")
    try register(
      Registration(.init(kind: .module, name: name.lowercasedASCII)) { core in
        try core.check(sqlite3_create_module_v2(core.handle, name, nil, nil, nil))
        core.installAuthorizer()
      })
  }
}
