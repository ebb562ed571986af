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
public protocol DatabaseReader: AnyObject, Sendable {
  /// How its connections were opened.
  var configuration: Configuration { get }

  /// Reads from one snapshot: whatever others write meanwhile, the closure does not see it.
  ///
  /// The closure runs on this thread; where no connection is idle, the thread waits for one. It
  /// returns the closure's value and rethrows its error. Writing inside throws `.readOnly`. With a
  /// deadline, waiting and reading are ended when it passes, and `DeadlineExceeded` is thrown, also
  /// where the closure catches it; one of zero or less has passed already.
  /// - SeeAlso: <https://www.sqlite.org/isolation.html>
  func read<Result>(
    deadline: Duration?, _ body: (Connection) throws -> Result
  ) throws -> Result

  /// The same from asynchronous code.
  ///
  /// With `.caller` the closure runs where it is called while a connection is idle, except on the
  /// main actor, from which it hops to a thread of the database; `.background` hops always, for what
  /// may be long. Where no connection is idle, the task suspends. Cancelling the task ends its
  /// statement, or its waiting, and throws `CancellationError`.
  nonisolated(nonsending)
    func read<Result: Sendable>(
      on execution: ReadExecution, deadline: Duration?,
      _ body: @escaping @Sendable (Connection) throws -> Result
    ) async throws -> Result

  /// Reads without a transaction: two statements of the closure may see different commits.
  ///
  /// - Parameter isReentrant: true lets it begin inside another access of this thread, on that
  ///   access's connection; what is not committed there is seen then.
  func readWithoutTransaction<Result>(
    isReentrant: Bool, _ body: (Connection) throws -> Result
  ) throws -> Result

  /// Reads without a transaction, from asynchronous code.
  nonisolated(nonsending)
    func readWithoutTransaction<Result: Sendable>(
      on execution: ReadExecution, _ body: @escaping @Sendable (Connection) throws -> Result
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
  /// Reads from one snapshot, on this thread; see `read(deadline:_:)`.
  public func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try read(deadline: nil, body)
  }

  /// Reads from one snapshot, where it is called while a connection is idle and it is not the main
  /// actor; see `read(on:deadline:_:)`.
  nonisolated(nonsending)
    public func read<Result: Sendable>(
      _ body: @escaping @Sendable (Connection) throws -> Result
    ) async throws -> Result
  {
    try await read(on: .caller, deadline: nil, body)
  }

  /// Reads from one snapshot; see `read(on:deadline:_:)`.
  nonisolated(nonsending)
    public func read<Result: Sendable>(
      on execution: ReadExecution, _ body: @escaping @Sendable (Connection) throws -> Result
    ) async throws -> Result
  {
    try await read(on: execution, deadline: nil, body)
  }

  /// Reads from one snapshot until the deadline; see `read(on:deadline:_:)`.
  nonisolated(nonsending)
    public func read<Result: Sendable>(
      deadline: Duration?, _ body: @escaping @Sendable (Connection) throws -> Result
    ) async throws -> Result
  {
    try await read(on: .caller, deadline: deadline, body)
  }

  /// Reads without a transaction; see `readWithoutTransaction(isReentrant:_:)`.
  public func readWithoutTransaction<Result>(
    _ body: (Connection) throws -> Result
  ) throws -> Result {
    try readWithoutTransaction(isReentrant: false, body)
  }

  /// Reads without a transaction; see `readWithoutTransaction(on:_:)`.
  nonisolated(nonsending)
    public func readWithoutTransaction<Result: Sendable>(
      _ body: @escaping @Sendable (Connection) throws -> Result
    ) async throws -> Result
  {
    try await readWithoutTransaction(on: .caller, body)
  }
}
