/// A write that shares its commit with those that wait beside it: one fsync for many.
protocol SharedWrite: AnyObject, Sendable {
  associatedtype Value: Sendable

  /// Whether it can be run again where SQLite rolled back the whole transaction: data can, a
  /// closure may have done something else besides.
  var canRunAgain: Bool { get }
  /// Who waits for the answer.
  func answer(to continuation: UnsafeContinuation<Value, any Error>)
  /// Runs it, and keeps what it gave.
  func run(on core: ConnectionCore) throws
  /// Answers with what it gave, or with an error.
  func finish(throwing error: (any Error)?)
}

/// A closure of `write { }`, waiting to share a commit.
///
/// `@unchecked Sendable`: one thread at a time has it, from `answer` over `run` to `finish`; they
/// are put in order by the queue of the writer and its thread.
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

/// A write was undone because another one, with which it shared its transaction, made SQLite roll
/// back all of it.
///
/// It can be run again; `write(alone: true)` shares with nobody.
/// - SeeAlso: <https://www.sqlite.org/lang_savepoint.html>
public struct SharedTransactionRolledBack: Error, CustomStringConvertible {
  /// What made SQLite roll back.
  public let cause: any Error

  /// Says so, with the cause.
  public var description: String {
    "the write was undone together with one that shared its transaction; run it again, or with "
      + "`write(alone: true)`: \(cause)"
  }
}
