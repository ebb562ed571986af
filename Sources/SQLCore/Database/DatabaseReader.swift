/// An object that can be read from: a `Database` or a `DatabaseSnapshot`.
///
/// ```swift
/// func titles(in reader: some DatabaseReader) async throws -> [String] {
///   try await reader.read { try $0.fetch(Post.select(\.$title)) }
/// }
/// ```
///
/// All guarantees hold if only this process writes to the file. If another process writes as well,
/// a transaction still sees one state, but may wait for locks as long as
/// `Configuration.busyTimeout` allows.
///
/// Every access throws misuse after `close()`. An access inside a closure of the same reader also
/// throws misuse, since it would wait for itself. Accesses are served in the order in which they
/// were requested.
/// - SeeAlso: <https://www.sqlite.org/isolation.html>
public protocol DatabaseReader: AnyObject, Sendable {
  /// The configuration with which the connections were opened.
  var configuration: Configuration { get }

  /// Interrupts the statements that run in every access of this reader: each throws `.interrupt`.
  ///
  /// It can be called from any thread. It has no effect if nothing runs, and no effect on later
  /// statements.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/interrupt.html>
  func interrupt()

  /// Closes every connection. Later accesses throw misuse; closing again has no effect.
  ///
  /// Calling it is optional: a reader closes when its last reference is released. Throws `.busy`,
  /// and leaves the reader open, if an access is running or waiting.
  func close() throws

  /// The cache of models whose schema has the line `Cached()`; nil for a reader that caches
  /// nothing. Programs do not use it directly.
  var _cache: DatabaseCache? { get }

  /// Calls a closure that copies the cached value of a key of 8 bytes. Returns false if there is
  /// none. Programs do not use it directly.
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
  /// Closes every connection from asynchronous code, on a thread of its own: the last connection of
  /// a file copies the write-ahead log into it. A task that was cancelled closes as well. See the
  /// synchronous form.
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

  /// Reads from one snapshot: the closure does not see writes that are committed meanwhile.
  ///
  /// The closure runs on this thread, which waits for a connection if none is idle. Returns the
  /// closure's value and rethrows its error. Writing in the closure throws `.readOnly`. When a
  /// deadline passes, waiting and reading end, and `DeadlineExceeded` is thrown even if the closure
  /// catches it; a deadline of zero or less has already passed. `fileID` and `line` identify the
  /// read in the reports of `Configuration.onPinnedWAL`.
  /// - SeeAlso: <https://www.sqlite.org/isolation.html>
  public func read<Result>(
    deadline: Duration? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: (Connection) throws -> Result
  ) throws -> Result {
    try _read(deadline, fileID, line, body)
  }

  /// Reads from one snapshot, from asynchronous code.
  ///
  /// With `.caller` the closure runs where it is called if a connection is idle; on the main actor
  /// it moves to a thread of the database. With `.background` it always moves to such a thread. Use
  /// `.background` for reads that may take long. If no connection is idle, the task suspends.
  /// Cancelling the task ends the statement or the wait, and throws `CancellationError`.
  public func read<Result: Sendable>(
    on execution: ReadExecution = .caller, deadline: Duration? = nil,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    try await _read(on: execution, deadline, fileID, line, body)
  }

  /// Reads without a transaction: two statements of the closure may see different commits.
  ///
  /// - Parameter isReentrant: If true, the read may begin inside another access of this thread, on
  ///   that access's connection. It then also sees changes that are not yet committed.
  public func readWithoutTransaction<Result>(
    isReentrant: Bool = false, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: (Connection) throws -> Result
  ) throws -> Result {
    try _readWithoutTransaction(isReentrant: isReentrant, fileID, line, body)
  }

  /// Reads without a transaction, from asynchronous code.
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
  /// The closure runs where it is called if a reader is idle, but never on the main actor: from
  /// there it moves to a thread of the database. For short reads.
  case caller
  /// The closure runs on a thread of the database. For reads that may take long.
  case background
}
