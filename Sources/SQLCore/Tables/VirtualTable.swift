import CSQLite

/// A virtual table: a table whose rows are supplied by Swift code.
///
/// ```swift
/// final class NaturalNumbers: VirtualTable {
///   let schema = "CREATE TABLE x (value INTEGER)"
///   func open() -> any VirtualTableCursor { Cursor() }
/// }
/// try db.virtualTable("natural_numbers", .eponymous) { _ in NaturalNumbers() }
/// try db.rows("SELECT value FROM natural_numbers LIMIT 5")
/// ```
///
/// Each connection has its own instance. The instance is released with the connection, or earlier
/// if SQLite reads the schema again. If a method throws, the statement fails with the message of
/// the error. A method may run statements on the connection of its context.
/// - SeeAlso: <https://www.sqlite.org/vtab.html>
public protocol VirtualTable: AnyObject, SendableMetatype {
  /// The declaration of the columns, as `CREATE TABLE x (…)`; the name is ignored. A column that is
  /// declared `HIDDEN` is an argument of the table-valued function and is not part of `*`. The
  /// parenthesis may be followed by `WITHOUT ROWID`.
  var schema: String { get }

  /// Returns a plan for a query. Returns nil if the table cannot answer the query with the
  /// constraints that are usable, for example because a required argument is missing.
  ///
  /// SQLite calls this method while it prepares a statement, often more than once. By default, it
  /// plans a full scan in no particular order.
  /// - SeeAlso: <https://www.sqlite.org/vtab.html#the_xbestindex_method>
  func bestIndex(_ query: IndexQuery) throws -> IndexPlan?

  /// Opens a cursor. SQLite calls this once for each use of the table in a statement.
  func open() throws -> any VirtualTableCursor

  /// Called when the table is dropped, to delete the data that the table has stored. By default,
  /// this method does nothing.
  func destroy() throws

  /// Called when the table is renamed. By default, this method does nothing.
  func rename(to name: String) throws
}

extension VirtualTable {
  /// Plans a full scan in no particular order.
  public func bestIndex(_ query: IndexQuery) throws -> IndexPlan? { IndexPlan() }
  /// Does nothing.
  public func destroy() throws {}
  /// Does nothing.
  public func rename(to name: String) throws {}
}

/// An iterator over the rows of a virtual table.
/// - SeeAlso: <https://www.sqlite.org/vtab.html#the_xfilter_method>
public protocol VirtualTableCursor: AnyObject {
  /// Begins the query, and moves to its first row. SQLite may call this method again with other
  /// arguments, as for the inner table of a join.
  ///
  /// - Parameters:
  ///   - plan: the `number` and the `text` that `bestIndex` has set in its plan.
  ///   - arguments: the values of the plan's arguments, in the plan's order.
  func filter(_ plan: IndexPlan.Choice, _ arguments: borrowing Arguments) throws
  /// Whether the cursor has passed the last row.
  var isAtEnd: Bool { get }
  /// Moves to the next row.
  func next() throws
  /// Returns the value of a column of the current row; columns are counted from 0.
  func column(_ index: Int) throws -> DatabaseValue
  /// The rowid of the current row, by which `update` and `delete` identify the row. It is never
  /// read for a table WITHOUT ROWID. By default, it throws `DatabaseError` (`.misuse`).
  var rowID: Int64 { get throws }
}

extension VirtualTableCursor {
  /// Throws `DatabaseError` (`.misuse`).
  public var rowID: Int64 {
    get throws {
      throw DatabaseError.misuse("the cursor of the virtual table does not implement `rowID`")
    }
  }
}

/// The data with which a virtual table is made: its name, its arguments and its connection.
/// - SeeAlso: <https://www.sqlite.org/vtab.html#the_xcreate_method>
public struct VirtualTableContext {
  /// The name of the module.
  public let module: String
  /// The name of the database: `main`, or the name under which it is attached.
  public let database: String
  /// The name of the table.
  public let name: String
  /// The text between the parentheses of `CREATE VIRTUAL TABLE`, split at the commas.
  public let arguments: [String]
  /// True while the table is being created; false if it exists already and a connection opens it.
  public let isNew: Bool
  // Weak, because a table that retained its connection would never be freed.
  private weak var core: ConnectionCore?

  init(
    core: ConnectionCore, isNew: Bool, count: Int32,
    words: UnsafePointer<UnsafePointer<CChar>?>?
  ) {
    let words = (0..<Int(count)).map { words?[$0].map { String(cString: $0) } ?? "" }
    module = words.first ?? ""
    database = words.dropFirst().first ?? ""
    name = words.dropFirst(2).first ?? ""
    arguments = Array(words.dropFirst(3))
    self.isNew = isNew
    self.core = core
  }

  /// The connection of the table, on which it can run statements. Throws `DatabaseError`
  /// (`.misuse`) after the connection was closed.
  public var connection: Connection {
    get throws {
      guard let core else { throw DatabaseError.misuse("the connection of the table is closed") }
      return core.lend()
    }
  }

  /// The action that the running statement requests if a row violates a constraint. Read it only
  /// while `insert` or `update` runs.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/vtab_on_conflict.html>
  public var conflictResolution: ConflictResolution {
    get throws { ConflictResolution(of: try connection.use()) }
  }
}

/// The kinds of virtual tables: tables that exist without being created, and tables that a CREATE
/// VIRTUAL TABLE statement creates.
/// - SeeAlso: <https://www.sqlite.org/vtab.html#eponymous_virtual_tables>
public enum VirtualTableKind: Sendable {
  /// The table exists under the name of its module, without being created. In a FROM clause,
  /// `name(1, 2)` sets its hidden columns.
  case eponymous
  /// The table is made by `CREATE VIRTUAL TABLE name USING module (arguments)`.
  case created
}

extension Registrar {
  /// Registers a virtual table under a name. With the kind `.created`, the name is that of a module
  /// for `CREATE VIRTUAL TABLE … USING name`.
  ///
  /// ```swift
  /// try db.virtualTable("lines", .created) { context in try Lines(path: context.arguments[0]) }
  /// try db.execute("CREATE VIRTUAL TABLE log USING lines('/var/log/messages')")
  /// ```
  ///
  /// `make` is called for each table on each connection that uses the table, and once more each
  /// time SQLite reads the schema again. Throws `DatabaseError` if the name is invalid.
  /// - Parameters:
  ///   - kind: whether the table exists under its own name, or has to be created.
  ///   - isInnocuous: whether views and triggers may use the table.
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
        // SQLite releases the module even if this call fails.
        try core.check(
          sqlite3_create_module_v2(
            core.handle, name, callbacks.pointer, Unmanaged.passRetained(module).toOpaque()
          ) { pointer in
            if let pointer { Unmanaged<VirtualTableModule>.fromOpaque(pointer).release() }
          })
        // Installing the authorizer again makes SQLite recompile the statements that were prepared
        // with an earlier module of this name.
        core.installAuthorizer()
      })
  }

  /// Removes the registration of a virtual table. It is no error if the name is not registered.
  ///
  /// Running statements can use the table until they end. Tables that were created stay in the
  /// schema, but cannot be used until the module is registered again.
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
