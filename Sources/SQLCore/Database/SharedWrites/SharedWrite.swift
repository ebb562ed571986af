/// A write that shares its commit with other waiting writes: one fsync for all of them.
protocol SharedWrite: AnyObject, Sendable {
  associatedtype Value: Sendable

  /// Whether the write can run again after SQLite has rolled back the whole transaction. True for a
  /// call of the library that only writes data, and for a write with a `WriteKey`. Any other
  /// closure may have effects outside of the database, which would happen twice.
  var canRunAgain: Bool { get }
  /// Stores the continuation that waits for the result.
  func answer(to continuation: UnsafeContinuation<Value, any Error>)
  /// Runs the write and keeps its result.
  func run(on core: ConnectionCore) throws
  /// Resumes the continuation with the result, or with an error.
  func finish(throwing error: (any Error)?)
}

/// A write, such as a call of the asynchronous `write { }`, that runs a closure and shares its
/// commit with other writes.
///
/// `@unchecked Sendable`: only one thread at a time uses the object. `answer` is called first, then
/// `run`, and then `finish`. The writer's waiting line and the writer's thread ensure this order.
final class SharedWriteClosure<Value: Sendable>: SharedWrite, @unchecked Sendable {
  let canRunAgain: Bool
  private let body: @Sendable (ConnectionCore) throws -> Value
  private var continuation: UnsafeContinuation<Value, any Error>?
  private var value: Value?

  init(
    canRunAgain: Bool, _ body: @escaping @Sendable (ConnectionCore) throws -> Value
  ) {
    self.canRunAgain = canRunAgain
    self.body = body
  }

  func answer(to continuation: UnsafeContinuation<Value, any Error>) {
    self.continuation = continuation
  }

  func run(on core: ConnectionCore) throws {
    value = nil
    value = try body(core)
  }

  func finish(throwing error: (any Error)?) {
    guard let continuation else { return }
    self.continuation = nil
    if let error {
      continuation.resume(throwing: error)
    } else if let value {
      continuation.resume(returning: value)
    } else {
      continuation.resume(throwing: DatabaseError.misuse("the write did not run"))
    }
  }
}

/// An error thrown when a write was undone because another write of the same shared transaction
/// made SQLite roll back the whole transaction, or because the commit of this transaction failed.
///
/// The program can run the write again. If it calls `write(alone: true)`, the write does not share
/// its transaction.
/// - SeeAlso: <https://www.sqlite.org/lang_savepoint.html>
public struct SharedTransactionRolledBack: Error, CustomStringConvertible {
  /// The error that made SQLite roll back.
  public let cause: any Error

  /// A sentence that names the cause.
  public var description: String {
    "the write was undone together with another write of the same transaction; run it again, or "
      + "use `write(alone: true)`: \(cause)"
  }
}
