import Dispatch
import Foundation
import SQLCore

/// Runs a closure on a thread of its own and waits for it.
func onAnotherThread<Result: Sendable>(
  _ body: @escaping @Sendable () throws -> Result
) throws -> Result {
  let ended = DispatchSemaphore(value: 0)
  let outcome = Lock<Swift.Result<Result, any Error>?>(nil)
  Thread.detachNewThread {
    let result = Swift.Result { try body() }
    outcome.withLock { $0 = result }
    ended.signal()
  }
  ended.wait()
  guard let result = outcome.withLock({ $0 }) else { throw CancellationError() }
  return try result.get()
}

/// A connection of a database in use on another thread, until it is told to end.
final class Holding: Sendable {
  private let begun = DispatchSemaphore(value: 0)
  private let mayEnd = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)

  /// The writer, in a transaction.
  init(writerOf db: Database) {
    hold { [begun, mayEnd] in
      try db.write { _ in
        begun.signal()
        mayEnd.wait()
      }
    }
  }

  /// One of the readers, in a snapshot.
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
    Thread.detachNewThread { [ended] in
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
