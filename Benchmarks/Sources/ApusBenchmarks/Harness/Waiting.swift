import Dispatch
import Synchronization

extension Workload.Side {
  /// Returns a side whose work is asynchronous. A detached task does this work, so that it does not
  /// run on the main actor.
  ///
  /// The caller is suspended until the task is done. If the caller blocked its thread instead,
  /// fewer threads could do the work, because Swift's pool has only as many threads as the machine
  /// has cores.
  static func task(
    operations: Int? = nil, prepare: @escaping () throws -> Void = {},
    commits: (() -> Int)? = nil, _ body: @escaping @Sendable () async throws -> Int
  ) -> Workload.Side {
    Workload.Side(operations: operations, prepare: prepare, commits: commits) {
      try await Task.detached { try await body() }.value
    }
  }
}

/// Waits on this thread for the result of a task.
func wait<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
  let ended = DispatchSemaphore(value: 0)
  let outcome = Mutex<Result<Value, any Error>?>(nil)
  Task.detached {
    let result: Result<Value, any Error>
    do {
      result = .success(try await body())
    } catch {
      result = .failure(error)
    }
    outcome.withLock { $0 = result }
    ended.signal()
  }
  ended.wait()
  guard let result = outcome.withLock({ $0 }) else { throw CancellationError() }
  return try result.get()
}
