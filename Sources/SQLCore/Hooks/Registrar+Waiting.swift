/// A listener to the progress of statements, and how far it is from its next call.
final class ProgressListener: Sendable {
  let interval: Int32
  let body: @Sendable () throws -> Void

  init(interval: Int32, body: @escaping @Sendable () throws -> Void) {
    self.interval = interval
    self.body = body
  }
}

extension Registrar {
  /// Calls `body` while a statement waits for a lock that another connection holds, before each new
  /// attempt, with the number of attempts so far.
  ///
  /// Where it throws, waiting ends, and so does the statement, with its error. Where it returns true, the
  /// statement waits on, whatever the busy timeout says; with false it waits as long as the timeout
  /// says, which also ends it where nobody listens. While it runs, its connection runs nothing else.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/busy_handler.html>
  @discardableResult
  public func onBusy(_ body: @escaping @Sendable (Int) throws -> Bool) throws -> HookListener {
    try listen(\.busy, body)
  }

  /// Calls `body` about each `steps` steps of SQLite's machine while statements run; where it
  /// throws, the statement is interrupted and throws its error.
  ///
  /// Interrupting a statement that writes rolls its transaction back. The steps are those of the
  /// listener that asks most often, counted together. While it runs, its connection runs nothing
  /// else.
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
  /// How many steps SQLite makes between two calls: never more than cancelling a task may wait.
  var progressInterval: Int32 {
    progress.reduce(4_000) { min($0, $1.body.interval) }
  }
}
