import Synchronization

extension Connection {
  /// Runs `body`, whose statement reads all rows of a table. Meanwhile, calls `progress` with the
  /// number of rows that were read so far. The first call has the number 0, and another call
  /// follows about every 10,000 rows.
  ///
  /// SQLite does not report the progress of a statement in rows. Its virtual machine takes about
  /// the same number of steps for each row, so the count is an estimate. If `progress` throws an
  /// error, the statement ends and the error is rethrown.
  ///
  /// If `progress` is nil, only `body` runs. Otherwise the rows are counted first. For tables of at
  /// most 10,000 rows and for remote databases, `progress` is not called.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/progress_handler.html>
  package func reportingRows<Result>(
    of table: String, stepsPerRow: Int,
    to progress: (@Sendable (_ done: Int, _ count: Int) throws -> Void)?,
    _ body: () throws -> Result
  ) throws -> Result {
    guard let progress, try !use().isRemote else { return try body() }
    // If the rows cannot be counted, the error is ignored here. `body` runs anyway, and then throws
    // an error with the reason.
    guard
      let count = try? row("SELECT count(*) FROM \(identifier: table)")?.get(Int.self, at: 0),
      count > RowSteps.reportedRows
    else { return try body() }
    try progress(0, count)
    let steps = RowSteps()
    let listener = try onProgress(every: RowSteps.interval) {
      guard let done = steps.next(perRow: stepsPerRow, of: count) else { return }
      do {
        try progress(done, count)
      } catch {
        steps.failure.withLock { $0 = error }
        throw error
      }
    }
    defer { try? remove(listener) }
    do {
      return try body()
    } catch {
      // The original error of `progress` is thrown, because the error of the statement contains
      // only its text.
      guard let failure = steps.failure.withLock({ $0 }) else { throw error }
      let core = try use()
      if core.state.pointee.transaction.rollbackCause != nil {
        core.state.pointee.transaction.noteRollback(because: failure)
      }
      throw failure
    }
  }
}

/// A counter of the steps of SQLite's virtual machine. It also stores the number of rows that was
/// last reported.
private final class RowSteps: Sendable {
  /// The number of rows between two reports.
  static let reportedRows = 10_000
  static let interval = 4_000

  private let steps = Atomic<Int>(0)
  private let reported = Atomic<Int>(0)
  /// The error that the caller's closure threw to end the statement.
  let failure = Lock<(any Error)?>(nil)

  /// Adds the steps of one interval to the count. Returns the number of rows that were read so far,
  /// if it is at least `reportedRows` higher than in the last report. Otherwise returns nil.
  func next(perRow: Int, of count: Int) -> Int? {
    let steps = steps.add(Self.interval, ordering: .relaxed).newValue
    // The estimate may be too high, so it is limited to all rows but the last. The last row counts
    // as read only when the statement has ended.
    let done = min(steps / max(1, perRow), count - 1)
    guard done - reported.load(ordering: .relaxed) >= Self.reportedRows else { return nil }
    reported.store(done, ordering: .relaxed)
    return done
  }
}
