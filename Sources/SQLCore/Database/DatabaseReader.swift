/// What can be read from: a `Database`, and a `DatabaseSnapshot`.
///
/// ```swift
/// func titles(in reader: some DatabaseReader) async throws -> [String] {
///   try await reader.read { try $0.fetch(Post.select(\.$title)) }
/// }
/// ```
///
/// What it promises holds as long as this process alone writes; where another one writes, too, a
/// transaction still sees one state, and waits for locks as long as `Configuration.busyTimeout`
/// says.
///
/// Every access throws misuse after `close()`, and from inside a closure of the same reader, which
/// would wait for itself. Accesses wait in the order in which they came.
/// - SeeAlso: <https://www.sqlite.org/isolation.html>
public protocol DatabaseReader: AnyObject, Sendable {
  /// How its connections were opened.
  var configuration: Configuration { get }

  /// Reads from one snapshot, on this thread; see `read(deadline:fileID:line:_:)`.
  func read<Result>(
    deadline: Duration?, at place: SourcePlace, _ body: (Connection) throws -> Result
  ) throws -> Result

  /// Reads from one snapshot, from asynchronous code; see `read(on:deadline:fileID:line:_:)`.
  nonisolated(nonsending)
    func read<Result: Sendable>(
      on execution: ReadExecution, deadline: Duration?, at place: SourcePlace,
      _ body: @escaping @Sendable (Connection) throws -> Result
    ) async throws -> Result

  /// Reads without a transaction; see `readWithoutTransaction(isReentrant:fileID:line:_:)`.
  func readWithoutTransaction<Result>(
    isReentrant: Bool, at place: SourcePlace, _ body: (Connection) throws -> Result
  ) throws -> Result

  /// Reads without a transaction, from asynchronous code; see
  /// `readWithoutTransaction(on:fileID:line:_:)`.
  nonisolated(nonsending)
    func readWithoutTransaction<Result: Sendable>(
      on execution: ReadExecution, at place: SourcePlace,
      _ body: @escaping @Sendable (Connection) throws -> Result
    ) async throws -> Result

  /// Ends the statements that run, in every access of this reader: each throws `.interrupt`.
  ///
  /// From any thread. Where nothing runs it does nothing, and what runs later is not affected.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/interrupt.html>
  func interrupt()

  /// Closes every connection; each access afterwards throws misuse, and closing again does nothing.
  ///
  /// It is optional: a reader closes when its last reference is gone. Throws `.busy`, and leaves it
  /// as it is, where an access is running or waiting.
  func close() throws
}

extension DatabaseReader {
  /// Reads from one snapshot: whatever others write meanwhile, the closure does not see it.
  ///
  /// The closure runs on this thread; where no connection is idle, the thread waits for one. It
  /// returns the closure's value and rethrows its error. Writing inside throws `.readOnly`. With a
  /// deadline, waiting and reading are ended when it passes, and `DeadlineExceeded` is thrown, also
  /// where the closure catches it; one of zero or less has passed already. `fileID` and `line` say
  /// who reads, for `Configuration.onPinnedLog`.
  /// - SeeAlso: <https://www.sqlite.org/isolation.html>
  public func read<Result>(
    deadline: Duration? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: (Connection) throws -> Result
  ) throws -> Result {
    try read(deadline: deadline, at: SourcePlace(fileID, line), body)
  }

  /// The same from asynchronous code.
  ///
  /// With `.caller` the closure runs where it is called while a connection is idle, except on the
  /// main actor, from which it hops to a thread of the database; `.background` hops always, for what
  /// may be long. Where no connection is idle, the task suspends. Cancelling the task ends its
  /// statement, or its waiting, and throws `CancellationError`.
  nonisolated(nonsending)
    public func read<Result: Sendable>(
      on execution: ReadExecution = .caller, deadline: Duration? = nil,
      fileID: StaticString = #fileID, line: UInt = #line,
      _ body: @escaping @Sendable (Connection) throws -> Result
    ) async throws -> Result
  {
    try await read(on: execution, deadline: deadline, at: SourcePlace(fileID, line), body)
  }

  /// Reads without a transaction: two statements of the closure may see different commits.
  ///
  /// - Parameter isReentrant: true lets it begin inside another access of this thread, on that
  ///   access's connection; what is not committed there is seen then.
  public func readWithoutTransaction<Result>(
    isReentrant: Bool = false, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: (Connection) throws -> Result
  ) throws -> Result {
    try readWithoutTransaction(isReentrant: isReentrant, at: SourcePlace(fileID, line), body)
  }

  /// Reads without a transaction, from asynchronous code.
  nonisolated(nonsending)
    public func readWithoutTransaction<Result: Sendable>(
      on execution: ReadExecution = .caller,
      fileID: StaticString = #fileID, line: UInt = #line,
      _ body: @escaping @Sendable (Connection) throws -> Result
    ) async throws -> Result
  {
    try await readWithoutTransaction(on: execution, at: SourcePlace(fileID, line), body)
  }
}
