/// The common interface for reading from a `Database` or a `DatabaseSnapshot`.
///
/// ```swift
/// func titles(in reader: some DatabaseReader) async throws -> [String] {
///   try await reader.read { try $0.fetch(Post.select(\.$title)) }
/// }
/// ```
///
/// If another process writes to the same file, each `read { }` still sees one state of the
/// database. It may then have to wait for a lock of the other process, as long as
/// `Configuration.busyTimeout` allows.
///
/// Every access throws misuse after `close()`. An access inside the closure of another access of
/// the same reader also throws misuse, because it could wait forever for the outer access. Accesses
/// are served in the order in which they were requested.
/// - SeeAlso: <https://www.sqlite.org/isolation.html>
public protocol DatabaseReader: AnyObject, Sendable {
  /// The configuration with which the connections were opened.
  var configuration: Configuration { get }

  /// Interrupts the running statement of every access of this reader. Each of these statements
  /// throws `.interrupt`.
  ///
  /// Any thread may call this method. It has no effect if nothing runs, and no effect on later
  /// statements.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/interrupt.html>
  func interrupt()

  /// Closes every connection. Later accesses throw misuse; closing again has no effect.
  ///
  /// Calling `close` is optional, because a reader closes when its last reference is released. If
  /// an access is running or waiting, this method throws `.busy` and leaves the reader open.
  func close() throws

  /// The cache for models with the line `Cached()` in their schema. Nil if the reader caches
  /// nothing. Programs do not use it directly.
  var _cache: DatabaseCache? { get }

  /// Calls a closure that copies the cached value of a key of 8 bytes. Returns false if no value is
  /// cached. Programs do not use it directly.
  func _copyCached(_ word: UInt64, _ number: Int, _ copy: (AnyObject) -> Void) -> Bool

  /// Reads from one snapshot, on this thread; programs do not use it directly, but call `read`.
  func _read<Result>(
    _ deadline: Duration?, _ fileID: StaticString, _ line: UInt,
    _ body: (Connection) throws -> Result
  ) throws -> Result

  /// Reads from one snapshot, from asynchronous code; programs do not use it directly, but call
  /// `read`.
  func _read<Result: Sendable>(
    on execution: ReadExecution, _ deadline: Duration?, _ fileID: StaticString, _ line: UInt,
    _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result

  /// Runs one read statement of a query, on this thread; programs do not use it directly, but call
  /// `find`, `fetch` and the like.
  func _readOnce<Result>(
    _ fileID: StaticString, _ line: UInt, _ body: (Connection) throws -> Result
  ) throws -> Result

  /// Runs one read statement of a query, from asynchronous code; programs do not use it directly,
  /// but call `find`, `fetch` and the like.
  func _readOnce<Result: Sendable>(
    on execution: ReadExecution, _ fileID: StaticString, _ line: UInt,
    _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result

  /// Reads without a transaction, on this thread; programs do not use it directly, but
  /// call `readWithoutTransaction`.
  func _readWithoutTransaction<Result>(
    isReentrant: Bool, _ fileID: StaticString, _ line: UInt,
    _ body: (Connection) throws -> Result
  ) throws -> Result

  /// Reads without a transaction, from asynchronous code; programs do not use it directly, but
  /// call `readWithoutTransaction`.
  func _readWithoutTransaction<Result: Sendable>(
    on execution: ReadExecution, _ fileID: StaticString, _ line: UInt,
    _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result
}

extension DatabaseReader {
  /// Closes every connection. This is the asynchronous form. The connections are closed on a
  /// separate thread, because the last connection of a file copies the write-ahead log into the
  /// file as it closes. Cancelling the task does not stop the closing.
  public func close() async throws {
    try await WorkerThreads.run { _ in try self.close() }
  }
}

extension DatabaseReader {
  /// No cache.
  public var _cache: DatabaseCache? { nil }

  /// No cached value.
  public func _copyCached(_ word: UInt64, _ number: Int, _ copy: (AnyObject) -> Void) -> Bool {
    false
  }

  /// Reads from one snapshot. The closure does not see writes that are committed while it runs.
  ///
  /// The closure runs on this thread, which waits for a connection if none is idle. Returns the
  /// closure's value and rethrows its error. Writing in the closure throws `.readOnly`. When the
  /// deadline passes, this method stops waiting or reading and throws `DeadlineExceeded`, even if
  /// the closure catches that error. A deadline of zero or less has already passed. `fileID` and
  /// `line` identify the read in the reports of `Configuration.onPinnedWAL`.
  /// - SeeAlso: <https://www.sqlite.org/isolation.html>
  public func read<Result>(
    deadline: Duration? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: (Connection) throws -> Result
  ) throws -> Result {
    try _read(deadline, fileID, line, body)
  }

  /// Reads from one snapshot. This is the asynchronous form.
  ///
  /// With `on: .caller`, the closure runs on the calling thread if a connection is idle. If the
  /// caller is on the main actor, the closure moves to a thread of the database. With
  /// `on: .background`, the closure always runs on a thread of the database. Use this for reads
  /// that may take long. If no connection is idle, the task suspends. Cancelling the task ends the
  /// statement or the wait, and throws `CancellationError`.
  public func read<Result: Sendable>(
    on execution: ReadExecution = .caller, deadline: Duration? = nil,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    try await _read(on: execution, deadline, fileID, line, body)
  }

  /// Reads without a transaction. Two statements of the closure may see different commits, except
  /// in a `DatabaseSnapshot`.
  ///
  /// - Parameter isReentrant: Whether the read may begin inside another access of this thread. The
  ///   read then uses the connection of that access, and also sees changes that are not yet
  ///   committed.
  public func readWithoutTransaction<Result>(
    isReentrant: Bool = false, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: (Connection) throws -> Result
  ) throws -> Result {
    try _readWithoutTransaction(isReentrant: isReentrant, fileID, line, body)
  }

  /// Reads without a transaction. This is the asynchronous form.
  public func readWithoutTransaction<Result: Sendable>(
    on execution: ReadExecution = .caller,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    try await _readWithoutTransaction(on: execution, fileID, line, body)
  }
}

/// The places where the closure of an asynchronous read may run.
///
/// ```swift
/// let count = try await db.read(on: .background) { try $0.count(Post.all) }
/// ```
public enum ReadExecution: Sendable {
  /// The closure runs on the calling thread if a reader is idle. If the caller is on the main
  /// actor, the closure moves to a thread of the database. Use this for short reads.
  case caller
  /// The closure runs on a thread of the database. Use this for reads that may take long.
  case background
}
