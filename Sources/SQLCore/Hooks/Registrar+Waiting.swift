/// The closure of a progress listener, with its interval in steps of SQLite's virtual machine.
final class ProgressListener: Sendable {
  let interval: Int32
  let body: @Sendable () throws -> Void

  init(interval: Int32, body: @escaping @Sendable () throws -> Void) {
    self.interval = interval
    self.body = body
  }
}

extension Registrar {
  /// Calls `body` while a statement waits for a lock that another connection holds: before each
  /// attempt to get the lock, with the number of attempts so far.
  ///
  /// If `body` throws, the waiting and the statement end with its error. If it returns true, the
  /// statement continues to wait, whatever the busy timeout. If it returns false, the statement
  /// waits as long as the busy timeout allows, as it does without a listener. While `body` runs,
  /// its connection runs nothing else.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/busy_handler.html>
  @discardableResult
  public func onBusy(_ body: @escaping @Sendable (Int) throws -> Bool) throws -> HookListener {
    try listen(\.busy, body)
  }

  /// Calls `body` about every `steps` steps of SQLite's virtual machine while statements run. If
  /// `body` throws, the statement is interrupted and throws its error.
  ///
  /// Interrupting a statement that writes rolls its transaction back. All listeners of a connection
  /// are called at the shortest interval that any of them requested, and at least every 4,000
  /// steps. While `body` runs, its connection runs nothing else.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/progress_handler.html>
  @discardableResult
  public func onProgress(
    every steps: Int = 4_000, _ body: @escaping @Sendable () throws -> Void
  ) throws -> HookListener {
    try listen(
      \.progress, ProgressListener(interval: Int32(clamping: max(1, steps)), body: body))
  }
}

extension HookListeners {
  /// The number of steps between two calls of SQLite's progress handler. It has an upper limit, so
  /// that a cancelled task ends soon.
  var progressInterval: Int32 {
    progress.reduce(4_000) { min($0, $1.body.interval) }
  }
}
