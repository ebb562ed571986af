import Dispatch
import Foundation
import SQLCore

/// Starts a thread.
func startThread(_ body: @escaping @Sendable () -> Void) {
  Thread.detachNewThread(body)
}

/// Runs a closure on a new thread and waits for it.
func onAnotherThread<Result: Sendable>(
  _ body: @escaping @Sendable () throws -> Result
) throws -> Result {
  let ended = DispatchSemaphore(value: 0)
  let outcome = Lock<Swift.Result<Result, any Error>?>(nil)
  startThread {
    let result = Swift.Result { try body() }
    outcome.withLock { $0 = result }
    ended.signal()
  }
  ended.wait()
  guard let result = outcome.withLock({ $0 }) else { throw CancellationError() }
  return try result.get()
}

/// A database connection that another thread uses until `end()` is called.
final class Holding: Sendable {
  private let begun = DispatchSemaphore(value: 0)
  private let mayEnd = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)

  /// Holds the writer, in a transaction.
  init(writerOf db: Database) {
    hold { [begun, mayEnd] in
      try db.write { _ in
        begun.signal()
        mayEnd.wait()
      }
    }
  }

  /// Holds the writer, without a transaction.
  init(writerWithoutTransactionOf db: Database) {
    hold { [begun, mayEnd] in
      try db.writeWithoutTransaction { _ in
        begun.signal()
        mayEnd.wait()
      }
    }
  }

  /// Holds one of the readers, in a snapshot.
  init(readerOf db: Database) {
    hold { [begun, mayEnd] in
      try db.read { connection in
        // The snapshot begins with the first statement.
        _ = try connection.row("SELECT count(*) FROM sqlite_schema")
        begun.signal()
        mayEnd.wait()
      }
    }
  }

  private func hold(_ access: @escaping @Sendable () throws -> Void) {
    startThread { [ended] in
      try? access()
      ended.signal()
    }
    begun.wait()
  }

  func end() {
    mayEnd.signal()
    ended.wait()
  }
}
