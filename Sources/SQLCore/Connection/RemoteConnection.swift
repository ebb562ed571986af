import CSQLite
import Synchronization

// The interface to databases in an engine outside of this process. The module `ApusRemote`
// implements it.

/// A database in an engine outside of this process, such as a cluster.
package final class RemoteDatabase: Sendable {
  /// The name of the engine, for error messages.
  package let name: String
  let makeConnection: @Sendable (RemoteDatabase, ConnectionCore) -> any RemoteConnection
  /// The number of the last schema change by this process. A connection whose copy of the schema is
  /// older reads the schema again.
  private let schemaNumber = Atomic<UInt64>(1)

  package init(
    name: String,
    makeConnection: @escaping @Sendable (RemoteDatabase, ConnectionCore) -> any RemoteConnection
  ) {
    self.name = name
    self.makeConnection = makeConnection
  }

  func refusal(of feature: String) -> DatabaseError {
    .misuse("\(feature) cannot be used with \(name): it needs the file")
  }

  package var latestSchema: UInt64 { schemaNumber.load(ordering: .acquiring) }

  package func schemaDidChange() {
    schemaNumber.wrappingAdd(1, ordering: .releasing)
  }
}

extension RemoteDatabase: Hashable {
  package static func == (left: RemoteDatabase, right: RemoteDatabase) -> Bool { left === right }

  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A connection to the engine of a remote database, which runs the statements outside of this
/// process. The local SQLite handle has only a copy of the schema, without rows.
package protocol RemoteConnection: AnyObject {
  var database: RemoteDatabase { get }
  /// The settings of the local SQLite handle. The engine's session must have the same settings.
  var settings: RemoteSettings { get set }
  /// The number of rows that the last statement changed.
  var changeCount: Int { get }

  /// Prepares the local SQLite handle, which is an empty database in memory.
  func prepare() throws
  /// Copies the schema again if the copy differs from the engine's schema. Returns whether the copy
  /// changed.
  @discardableResult
  func copySchema() throws -> Bool
  /// Compiles the first statement of a text against the copy of the schema. Returns a statement
  /// that runs in its place, and that sends the text to the engine. Also returns the rest of the
  /// text.
  func compile(_ text: Substring) throws -> (CompiledStatement, rest: Substring)?
  /// Sends statements like CREATE TABLE and COMMIT to the engine, before they run on the copy of
  /// the schema. Ignores statements that do not run on the copy.
  func runBeforeCopy(_ statement: any RemoteTemplate) throws
  /// Ends the transaction on the local copy if the engine has ended its transaction.
  func followTransaction(after failure: any Error)
  /// Returns the engine's error for the statement that just failed, and forgets the error.
  func takeFailure() -> (any Error)?
  /// Returns a number that changes when another session commits. This method runs no statement of
  /// the connection, so a commit hook may call it.
  func dataVersion() throws -> Int32
  func close()
}

/// A statement of the program for a remote database. It is compiled in this process, but does not
/// run here. Another statement runs in its place, and sends the text of the program's statement to
/// the engine.
package protocol RemoteTemplate: AnyObject {
  /// The program's statement, compiled against the copy of the schema.
  var template: OpaquePointer { get }
  /// Whether this process has changed the schema since the statement was compiled. The statement
  /// may then have other columns.
  var isOutdated: Bool { get }
}

/// The settings of the local SQLite handle of a remote database. The engine's session must have the
/// same settings.
package struct RemoteSettings: Equatable {
  /// Whether foreign keys are enforced. Inside a transaction, SQLite ignores a change of this
  /// setting.
  package var enforcesForeignKeys = true
  /// Whether ALTER TABLE … RENAME leaves the old name in other definitions, such as those of views.
  package var hasLegacyAlterTable = false

  package init() {}
}

extension Database {
  package convenience init(_ remote: RemoteDatabase, configuration: Configuration) throws {
    try self.init(location: .remote(remote), configuration: configuration)
  }

  /// Whether the database is in an engine outside of this process.
  package var isRemote: Bool { location.isRemote }

  /// Throws if the database is not in this process.
  package func requireLocal(_ feature: String) throws {
    if case .remote(let remote) = location { throw remote.refusal(of: feature) }
  }
}

extension ConnectionCore {
  /// Whether the database is in an engine outside of this process.
  package var isRemote: Bool { state.pointee.remote != nil }

  /// Throws if the database is not in this process. Features that need the pages of the database
  /// call this method.
  package func requireLocal(_ feature: String) throws {
    guard let remote = state.pointee.remote else { return }
    throw remote.database.refusal(of: feature)
  }

  /// Prepares a new connection, whose handle is an empty database in memory.
  func prepare(for database: RemoteDatabase) throws {
    // Statements are first compiled in this process, so the local handle also needs the library's
    // JSON functions. In the text that is sent to the engine, SQLite's own functions replace them.
    for step in Registration.jsonValues.steps { try step.install(self) }
    let remote = database.makeConnection(database, self)
    state.pointee.remote = remote
    enforcesForeignKeys = configuration.enforcesForeignKeys
    try remote.prepare()
    installAuthorizer()
    try remote.copySchema()
    try configuration.prepareConnection?(lend())
    endLease()
    state.pointee.authorizer.restrict(toReading: isReader || configuration.isReadOnly)
    state.pointee.authorizer.protect(SchemaLock(configuration.schemaPolicy))
  }

  /// Whether the engine must stop its work for the running access, because the access was cancelled
  /// or interrupted, or its deadline has passed.
  package var mustStop: Bool {
    !state.pointee.transaction.runsOwnStatement
      && (findStopReason() != nil || isInterruptRequested.load(ordering: .acquiring))
  }

  /// Waits a short time for a lock of another session. Returns false when the busy timeout is over.
  package func waitsForLock(after count: Int32) -> Bool { waits(count) != 0 }

  /// Compiles a statement that runs in place of a statement of the program. Compiling it does not
  /// change the authorizer's notes about the program's statement, and does not record which columns
  /// the new statement reads.
  package func compileSubstitute(_ text: String) throws -> OpaquePointer {
    let outer = state.pointee.authorizer.beginNotes()
    let recorder = state.pointee.authorizer.record(into: nil)
    defer {
      state.pointee.authorizer.record(into: recorder)
      state.pointee.authorizer.endNotes(restoring: outer)
    }
    var statement: OpaquePointer?
    let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
    try check(sqlite3_prepare_v3(handle, text, -1, flags, &statement, nil), sql: text)
    guard let statement else { throw DatabaseError.misuse("the statement is empty") }
    return statement
  }

  /// Sends statements like CREATE TABLE and COMMIT to the engine, before they run on the copy of
  /// the schema. Ignores statements that do not run on the copy.
  func runBeforeCopy(_ statement: StatementPointer) throws {
    guard let remote = state.pointee.remote, let template = statement.pointee.remote else { return }
    do {
      try remote.runBeforeCopy(template)
    } catch {
      remote.followTransaction(after: error)
      throw located(error, sql: statement.sql)
    }
  }

  /// Returns the engine's error that made a statement fail. If the access was ended in the
  /// meantime, instead returns the reason why it was ended.
  func remoteFailure(sql: String?) -> (any Error)? {
    guard let failure = state.pointee.remote?.takeFailure() else { return nil }
    if !state.pointee.transaction.runsOwnStatement, let reason = findStopReason() {
      state.pointee.access.stop(because: reason)
      return reason.error
    }
    return located(failure, sql: sql)
  }

  private func located(_ failure: any Error, sql: String?) -> any Error {
    guard var error = failure as? DatabaseError else { return failure }
    error.sql = sql
    error.constraint = ConstraintFailure(code: error.code, message: error.message)
    return error
  }
}
