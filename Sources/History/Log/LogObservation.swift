import ChangeObservation
import QueryDSL
import SQLCore

/// An asynchronous sequence of the entries of the change log that follow a position. After the
/// newest entry, the sequence waits for further transactions. `db.log.observe(after:)` and
/// `cursor.observe()` return such a sequence.
///
/// The sequence has each entry exactly once, whichever program wrote the entry. Entries stay in the
/// log until they are requested, so writers never wait for a reader. The observation begins when
/// the first element is requested, and ends when the iterator is released. The sequence finishes
/// when the database is closed.
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
    /// Whether the iterator must wait for a new entry, because the last read found none. True also
    /// before the first read.
    private var isAtEnd = true
    /// The entries that were read and not yet returned, in reverse order.
    private var waiting: [LogEntry] = []
    private var newest: ValueObservation<[LogPosition]>.Iterator

    init(log: ChangeLog, start: @escaping @Sendable () async throws -> LogPosition) {
      self.log = log
      self.start = start
      newest = log.newestPosition.makeAsyncIterator()
    }

    /// Returns the next entry. Waits until there is one. Returns nil if the task is cancelled or
    /// the database is closed.
    ///
    /// Throws `LogError.expired` if entries were purged before they were read, and
    /// `LogError.unknownPosition` if the file was restored and no longer has the last entry.
    public mutating func next() async throws -> LogEntry? {
      while waiting.isEmpty {
        // `newest` gives its first value at once, and another value after each commit. So an entry
        // is not missed if it is committed after the entries were read and before the waiting
        // begins.
        do {
          if isAtEnd { guard try await newest.next() != nil else { return nil } }
          let known: LogPosition
          if let position { known = position } else { known = try await start() }
          let entries = try await log.entries(after: known)
          isAtEnd = entries.isEmpty
          position = entries.last?.position ?? known
          waiting = entries.reversed()
        } catch is CancellationError where Task.isCancelled {
          // `newest` may already have given the value that announces new entries, which were not
          // read. So the next call must read entries without waiting.
          isAtEnd = false
          return nil
        } catch {
          // If the database was closed after new entries were noticed, reading them fails. In this
          // case, the sequence ends without an error.
          guard position != nil, log.database.isClosed else { throw error }
          return nil
        }
      }
      return waiting.popLast()
    }

    /// Returns the next entry. Waits until there is one.
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
  /// Returns a sequence of the entries that follow a position. Each further entry is delivered
  /// after its transaction is committed.
  ///
  /// ```swift
  /// for try await entry in db.log.observe(after: position) {
  ///   for change in entry.changes(of: Post.self) { … }
  /// }
  /// ```
  /// Transactions of other programs are noticed in the same way as by `db.observe`. Iterating
  /// throws the errors of `entries(after:)`.
  public func observe(after position: LogPosition = .start) -> LogObservation {
    LogObservation(self) { position }
  }

  /// The position of the newest entry, and the position of the newest finished entry. The two
  /// differ while the newest entry is not finished. In a read-only database, only another program
  /// can finish it.
  fileprivate var newestPosition: ValueObservation<[LogPosition]> {
    database.observe { [try $0.newestLogPosition(), try $0.logPosition()] }
  }
}

extension LogCursor {
  /// Returns a sequence of the entries that the cursor has not passed. Each further entry is
  /// delivered after its transaction is committed.
  ///
  /// ```swift
  /// for try await entry in cursor.observe() {
  ///   …
  ///   try await cursor.advance(past: entry)
  /// }
  /// ```
  /// Iterating does not move the cursor. After a restart, the sequence begins again with the first
  /// entry that the cursor has not passed.
  public func observe() -> LogObservation {
    LogObservation(log) { try await position() }
  }
}
