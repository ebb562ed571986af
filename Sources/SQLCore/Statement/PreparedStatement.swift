import CSQLite

/// A prepared statement and the facts about it that its connection needs.
///
/// The value is in manually allocated memory rather than in a class, because each access to a
/// property of a class costs an exclusivity check. These checks took a third of the time to find a
/// statement.
@usableFromInline
package struct PreparedStatement {
  package let handle: OpaquePointer
  /// The key under which the cache stores the statement; nil for a statement that is not cached.
  var key: UnsafeRawBufferPointer?
  var hash: UInt64
  /// The number by which the cache also finds the statement, if there is one. A lookup by number is
  /// faster than one by key.
  var number: Int?
  /// Whether the values may stay bound after the statement ends. It is true if each run binds every
  /// parameter again, and the bound values hold no memory.
  package var leavesValues = false
  /// The time at which the statement was last used. The cache counts uses in place of a clock.
  var stamp: UInt64 = 0
  /// The memory that the statement takes, as SQLite reports it, in bytes.
  var byteCount: Int
  var isInUse = true
  /// Whether the statement runs: true from its first step until its end or reset.
  package var isRunning = false
  /// Whether SQLite's statement is reset, so that values can be bound to it.
  var isReset = true
  package let isReadOnly: Bool
  /// The statement that the program wrote, if the database is remote. The text of this statement is
  /// sent to the engine. Nil if the statement runs in this process.
  let remote: (any RemoteTemplate)?
  /// The effect that the statement has on the stack of savepoints if it succeeds. Nil if the
  /// statement does not concern savepoints.
  package let savepointAction: SavepointAction?
  package let effects: StatementEffects
  /// The tables that the statement creates, alters or drops, or whose indexes or triggers it
  /// creates or drops. Also the tables whose rows it writes, if `notesWrittenTables` was true when
  /// the statement was prepared.
  package internal(set) var tableEffects: [TableEffect]
  /// The columns to which the statement assigns values. Only triggers and foreign-key actions can
  /// change other columns of the rows that the statement updates.
  package let assignments: [ColumnDependency]
  /// The address of the elements of `assignments`; nil if the array is empty. The address
  /// identifies the array without retaining it.
  package let assignmentsAddress: UnsafeRawPointer?
  /// The number of times that SQLite had recompiled the statement when `tableEffects` was set.
  /// After a further recompilation, `tableEffects` is outdated.
  var tableEffectsVersion: Int32 = 0
  /// The number of rows that the statement has scanned, from its first run to the end of its last
  /// run. Counted only if `Configuration.onTableScan` is set.
  var scannedRows: Int32 = 0
  /// The names of the result's columns, read on first use.
  var columnNames: ColumnNames?
  /// The number of times that SQLite had recompiled the statement when `columnNames` was read.
  /// After a further recompilation, `columnNames` is outdated.
  var columnNamesVersion: Int32 = 0
  /// The positions of a model's columns in the result, for the last model that was read from this
  /// statement by column names.
  var columnPositions: ColumnPositions?

  fileprivate init(_ compiled: CompiledStatement, key: UnsafeRawBufferPointer?, hash: UInt64) {
    handle = compiled.handle
    remote = compiled.remote
    let template = compiled.remote?.template ?? handle
    self.key = key
    self.hash = hash
    byteCount = Int(sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_MEMUSED, 0))
    effects = compiled.notes.effects
    tableEffects = compiled.notes.tableEffects
    assignments = compiled.notes.assignments ?? []
    assignmentsAddress =
      assignments.isEmpty
      ? nil : assignments.withUnsafeBufferPointer { UnsafeRawPointer($0.baseAddress) }
    isReadOnly = sqlite3_stmt_readonly(template) != 0 || effects.contains(.asksSetting)
    // SQLite reports SAVEPOINT, RELEASE and ROLLBACK TO as read-only statements without columns.
    // The text of statements that write or have columns is therefore not parsed.
    savepointAction =
      isReadOnly && sqlite3_column_count(template) == 0
      ? SavepointAction(statement: template) : nil
  }
}

/// The effects of a statement other than reading and writing rows, as the authorizer reports them.
package struct StatementEffects: OptionSet, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// The statement creates, alters or drops an object of the schema.
  package static let changesSchema = StatementEffects(rawValue: 1)
  /// The statement is BEGIN, COMMIT or ROLLBACK. SAVEPOINT, RELEASE and ROLLBACK TO do not have
  /// this effect.
  package static let controlsTransaction = StatementEffects(rawValue: 2)
  /// The statement is a PRAGMA, ATTACH or DETACH.
  package static let changesConnection = StatementEffects(rawValue: 4)
  /// The statement is a PRAGMA that only reads a setting, although SQLite does not report it as
  /// read-only.
  static let asksSetting = StatementEffects(rawValue: 8)

  /// Whether the statement may add, remove or change tables. The cache does not keep such a
  /// statement.
  ///
  /// This property is read each time a writing statement starts. It compares raw values because
  /// building an option set takes longer.
  package var mayChangeTables: Bool {
    rawValue & (Self.changesSchema.rawValue | Self.changesConnection.rawValue) != 0
  }
}

/// A pointer to a prepared statement of a connection, which one caller uses. The pointer is valid
/// until the caller gives the statement back.
@usableFromInline
package typealias StatementPointer = UnsafeMutablePointer<PreparedStatement>

extension StatementPointer {
  package var handle: OpaquePointer { pointee.handle }

  /// The handle of the statement that the program wrote. It has the program's SQL text and columns.
  /// If the database is remote, `handle` is another statement, which runs in place of this one.
  var written: OpaquePointer { pointee.remote?.template ?? pointee.handle }

  /// The text of the statement, without its values.
  package var sql: String? {
    sqlite3_sql(written).map { String(cString: $0) }
  }

  /// Returns a statement in newly allocated memory.
  ///
  /// - Parameter key: the key under which the cache stores the statement. The statement owns the
  ///   key.
  static func make(
    _ compiled: CompiledStatement, key: UnsafeRawBufferPointer? = nil, hash: UInt64 = 0
  ) -> StatementPointer {
    let statement = StatementPointer.allocate(capacity: 1)
    statement.initialize(to: PreparedStatement(compiled, key: key, hash: hash))
    return statement
  }

  /// Finalises the statement and frees its memory.
  func destroy() {
    CompiledStatement(handle: pointee.handle, notes: StatementNotes(), remote: pointee.remote)
      .finalize()
    pointee.key?.deallocate()
    deinitialize(count: 1)
    deallocate()
  }
}

/// The effect of a raw statement on the stack of savepoints.
///
/// SQLite has no hook for savepoints, so the text is parsed when the statement is prepared. Names
/// are in lower case, because SQLite ignores the case of their ASCII letters.
/// - SeeAlso: <https://www.sqlite.org/lang_savepoint.html>
package enum SavepointAction: Equatable, Sendable {
  /// `SAVEPOINT name`
  case open(String)
  /// `RELEASE [SAVEPOINT] name`
  case release(String)
  /// `ROLLBACK [TRANSACTION [name]] TO [SAVEPOINT] name`
  case rollBack(String)

  init?(statement: OpaquePointer) {
    guard let text = sqlite3_sql(statement) else { return nil }
    // Empty statements may come before the first real statement.
    var tokens = SQLTokens(String(cString: text)).tokens.drop { $0.isSign(";") }
    switch tokens.popFirst()?.normal {
    case "savepoint":
      guard let name = tokens.popFirst() else { return nil }
      self = .open(name.foldedName)
    case "release":
      tokens.skip("savepoint")
      guard let name = tokens.popFirst() else { return nil }
      self = .release(name.foldedName)
    case "rollback":
      // The name of a transaction may follow the keyword TRANSACTION. SQLite ignores this name.
      if tokens.skip("transaction"), tokens.first?.isWord("to") == false { tokens.removeFirst() }
      guard tokens.skip("to") else { return nil }
      tokens.skip("savepoint")
      guard let name = tokens.popFirst() else { return nil }
      self = .rollBack(name.foldedName)
    default:
      return nil
    }
  }
}

extension SQLTokens.Token {
  fileprivate var foldedName: String { value.lowercasedASCII }
}

extension ArraySlice<SQLTokens.Token> {
  /// Removes the first token if it is the given keyword. Returns whether the token was removed.
  @discardableResult
  fileprivate mutating func skip(_ keyword: String) -> Bool {
    guard first?.isWord(keyword) == true else { return false }
    removeFirst()
    return true
  }
}
