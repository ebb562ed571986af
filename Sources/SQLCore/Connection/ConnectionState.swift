/// The state of a connection that changes while it is used, kept in raw memory: one value for each
/// subsystem, which others use through its methods.
///
/// Properties of a class would check exclusivity at each access. Here that is not needed: the lease
/// ensures that only one thread at a time uses a connection. A method that changes one of these
/// values must not call SQLite or a caller's code where it could come back to the same value. So
/// the value decides, and the core acts.
struct ConnectionState {
  let handle: OpaquePointer
  /// Whether the handle is closed.
  var isClosed = false
  /// The folder against which relative paths are attached while the connection is prepared. The
  /// connection may be opened long after its database, when the working folder has changed.
  var attachingFolder: String?
  /// Whether each statement that ends is checked for the number of rows that it scanned.
  var watchesScans: Bool
  /// What sends the statements of a database that is elsewhere; nil for one in this process.
  var remote: RemoteLink?
  var statements: StatementLender
  var lent = LentObjects()
  var access: AccessState
  var transaction = TransactionState()
  var uniqueIDs = UniqueIDMark()
  var kept: KeptSnapshot
  var hooks = HookState()
  var observation = ObservationState()
  var cacheFeed = CacheFeed()
  var cachedTables = CachedTables()
  var resultTables = ResultTables()
  /// Whether tables are STRICT, as far as that was asked for since the schema was last changed here.
  var strictTables: [String: Bool] = [:]
  var authorizer = AuthorizerState()
  var log = LogState()
  var registrations = RegistrationState()

  init(handle: OpaquePointer, configuration: Configuration, allowsWriting: Bool) {
    self.handle = handle
    watchesScans = configuration.onTableScan != nil
    statements = StatementLender(configuration)
    kept = KeptSnapshot(configuration)
    access = AccessState(allowsWriting: allowsWriting)
  }
}
