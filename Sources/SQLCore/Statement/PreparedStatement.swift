import CSQLite

/// A prepared statement and what its connection must know of it.
///
/// It lives in memory of its own, outside Swift's classes: a property of a class costs a check of
/// exclusivity at each access, which was a third of the time to find a statement.
@usableFromInline
package struct PreparedStatement {
  package let handle: OpaquePointer
  /// The bytes by which the cache finds it; nil for a statement that the cache does not keep.
  var key: UnsafeRawBufferPointer?
  var hash: UInt64
  /// The number by which the cache finds it as well.
  var number: Int?
  /// Whether its values may stay bound until it runs again: whoever runs it binds each anew, and
  /// they take no memory.
  package var leavesValues = false
  /// When it was last lent out, by the cache's own count.
  var stamp: UInt64 = 0
  /// What SQLite says that the statement occupies, in bytes.
  var byteCount: Int
  var isInUse = true
  /// From its first step to its end or reset.
  package var isRunning = false
  package let isReadOnly: Bool
  /// What it does to the stack of savepoints, when it ends well.
  package let savepointAction: SavepointAction?
  package let effects: StatementEffects
  /// The tables that it creates, alters or drops, and where they are noted those that it writes.
  package internal(set) var tableEffects: [TableEffect]
  /// The columns that it assigns: no other column of a row that it updates itself, and not by
  /// triggers or foreign keys, comes to have another value.
  package let assignments: [ColumnDependency]
  /// How often SQLite had compiled it anew when the tables were noted.
  var tableEffectsVersion: Int32 = 0
  /// How many rows it had gone through one by one when it last ended, where that is asked.
  var scannedRows: Int32 = 0
  /// The names of the result's columns, read when first asked for.
  var columnNames: ColumnNames?
  /// How often SQLite had compiled it anew when the names were read.
  var columnNamesVersion: Int32 = 0
  /// Where the columns of the model are that was last read from it by name.
  var columnPositions: ColumnPositions?

  fileprivate init(_ compiled: CompiledStatement, key: UnsafeRawBufferPointer?, hash: UInt64) {
    handle = compiled.handle
    self.key = key
    self.hash = hash
    byteCount = Int(sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_MEMUSED, 0))
    effects = compiled.effects
    tableEffects = compiled.tableEffects
    assignments = compiled.assignments
    isReadOnly = sqlite3_stmt_readonly(handle) != 0 || compiled.effects.contains(.asksSetting)
    // SQLite counts SAVEPOINT, RELEASE and ROLLBACK TO among the statements that only read.
    savepointAction =
      isReadOnly && sqlite3_column_count(handle) == 0 ? SavepointAction(statement: handle) : nil
  }
}

/// What a statement does besides reading and writing rows, as the authorizer tells it.
package struct StatementEffects: OptionSet, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// It creates, alters or drops something.
  package static let changesSchema = StatementEffects(rawValue: 1)
  /// It is BEGIN, COMMIT or ROLLBACK; savepoints are none of these.
  static let controlsTransaction = StatementEffects(rawValue: 2)
  /// It is a PRAGMA, ATTACH or DETACH.
  package static let changesConnection = StatementEffects(rawValue: 4)
  /// It is a PRAGMA that asks for a setting, though SQLite counts it among those that write.
  static let asksSetting = StatementEffects(rawValue: 8)

  /// Whether what tables there are, or what they are like, may be different afterwards; the cache
  /// does not keep such a statement. It is asked
  /// of each statement: a set of options would be made anew each time.
  package var mayChangeTables: Bool {
    rawValue & (Self.changesSchema.rawValue | Self.changesConnection.rawValue) != 0
  }
}

/// A statement that a connection lends: valid until it is given back.
@usableFromInline
package typealias StatementPointer = UnsafeMutablePointer<PreparedStatement>

extension StatementPointer {
  package var handle: OpaquePointer { pointee.handle }

  /// The text of the statement, without its values.
  package var sql: String? {
    sqlite3_sql(pointee.handle).map { String(cString: $0) }
  }

  /// A statement in memory of its own.
  ///
  /// - Parameter key: what the cache finds it by; the statement owns it.
  static func make(
    _ compiled: CompiledStatement, key: UnsafeRawBufferPointer? = nil, hash: UInt64 = 0
  ) -> StatementPointer {
    let statement = StatementPointer.allocate(capacity: 1)
    statement.initialize(to: PreparedStatement(compiled, key: key, hash: hash))
    return statement
  }

  /// Finalises the statement and frees its memory.
  func destroy() {
    sqlite3_finalize(pointee.handle)
    pointee.key?.deallocate()
    deinitialize(count: 1)
    deallocate()
  }
}
