import ChangeObservation
import QueryDSL
import SQLCore

/// The entries of the change log after a position, and each further one when its transaction was
/// committed: `db.log.observe(after:)` and `cursor.observe()`.
///
/// No entry is missing or given twice, whichever program wrote it. Entries wait in the log until
/// they are requested; no writer waits. Watching begins when the first element is requested, and
/// ends when the iterator is released. When the database is closed, the sequence finishes.
public struct LogObservation: AsyncSequence, Sendable {
  /// A transaction.
  public typealias Element = LogEntry
  /// The errors that `db.log.entries(after:)` throws.
  public typealias Failure = any Error

  private let log: ChangeLog
  private let start: @Sendable () async throws -> LogPosition

  init(_ log: ChangeLog, startingAfter start: @escaping @Sendable () async throws -> LogPosition) {
    self.log = log
    self.start = start
  }

  /// Returns an iterator, which is a separate observation.
  public func makeAsyncIterator() -> Iterator {
    Iterator(log: log, start: start)
  }

  /// An iterator over the entries of one observation.
  public struct Iterator: AsyncIteratorProtocol {
    private let log: ChangeLog
    private let start: @Sendable () async throws -> LogPosition
    private var position: LogPosition?
    /// Whether the last reading found no further entry.
    private var isAtEnd = true
    /// The entries that were read, the next one last.
    private var waiting: [LogEntry] = []
    private var newest: ValueObservation<LogPosition>.Iterator

    init(log: ChangeLog, start: @escaping @Sendable () async throws -> LogPosition) {
      self.log = log
      self.start = start
      newest = log.newestPosition.makeAsyncIterator()
    }

    /// Returns the next entry, or waits for it. Returns nil if the task is cancelled or the
    /// database is closed.
    ///
    /// Throws `LogError.expired` if entries were purged before they were read, and
    /// `LogError.unknownPosition` if the file was restored and no longer has the last entry.
    public mutating func next() async throws -> LogEntry? {
      while waiting.isEmpty {
        // The first value comes at once. Each later commit gives another value, so no entry is
        // missed between reading the entries and waiting.
        if isAtEnd { guard try await newest.next() != nil else { return nil } }
        do {
          let known: LogPosition
          if let position { known = position } else { known = try await start() }
          let entries = try await log.entries(after: known)
          isAtEnd = entries.isEmpty
          position = entries.last?.position ?? known
          waiting = entries.reversed()
        } catch {
          // The database may be closed after its change was noticed.
          guard position != nil, log.database.isClosed else { throw error }
          return nil
        }
      }
      return waiting.popLast()
    }

    /// Returns the next entry, or waits for it.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(any Error) -> LogEntry? {
      try await next()
    }
  }
}

@available(*, unavailable, message: "each iterator is used by one task")
extension LogObservation.Iterator: Sendable {}

extension ChangeLog {
  /// Returns the entries after a position, and each further one when its transaction was committed.
  ///
  /// ```swift
  /// for try await entry in db.log.observe(after: position) {
  ///   for change in entry.changes(of: Post.self) { … }
  /// }
  /// ```
  /// Transactions of other programs are seen as in `db.observe`. Iterating throws the errors of
  /// `entries(after:)`.
  public func observe(after position: LogPosition = .start) -> LogObservation {
    LogObservation(self) { position }
  }

  /// The position of the newest entry, finished or not.
  fileprivate var newestPosition: ValueObservation<LogPosition> {
    database.observe { try $0.newestLogPosition() }
  }
}

extension LogCursor {
  /// Returns the entries after the cursor, and each further one when its transaction was committed.
  ///
  /// ```swift
  /// for try await entry in cursor.observe() {
  ///   …
  ///   try await cursor.advance(past: entry)
  /// }
  /// ```
  /// Iterating does not move the cursor: after a restart, entries that it was not moved past are
  /// given again.
  public func observe() -> LogObservation {
    LogObservation(log) { try await position() }
  }
}
