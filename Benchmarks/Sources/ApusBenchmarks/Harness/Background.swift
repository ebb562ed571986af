import Dispatch
import Foundation
import Synchronization

/// A counter of the commits that one side (C, Apus or GRDB) makes in the background while its
/// readers are measured.
final class CommitCount: Sendable {
  private struct State {
    var count: Int64 = 0
    var areReadersDone = false
  }

  private let state = Mutex(State())
  /// The number of commits that the side makes in a run. If nil, the side makes commits until the
  /// readers are done.
  private let limit: Int?

  init(_ limit: Int?) {
    self.limit = limit
  }

  /// The number of commits of the last run.
  var last: Int { state.withLock { Int($0.count) } }

  func begin() {
    state.withLock { $0 = State() }
  }

  /// Returns the key of the row that the next commit changes; nil if the run has no further commit.
  func next() -> Int64? {
    state.withLock { state in
      guard limit.map({ state.count < $0 }) ?? !state.areReadersDone else { return nil }
      state.count += 1
      return (state.count - 1) % Int64(cachedRows) + 1
    }
  }

  func readersAreDone() {
    state.withLock { $0.areReadersDone = true }
  }
}

/// A group of threads that run at the same time. Each closure gets a thread of its own. A queue of
/// Dispatch would not do, because it has only as many threads as the machine has cores.
final class ThreadGroup: Sendable {
  private let running = DispatchGroup()
  private let failure = Shared<(any Error)?>(nil)

  func start(_ body: @escaping @Sendable () throws -> Void) {
    running.enter()
    Thread { [running, failure] in
      do {
        try body()
      } catch {
        failure.value = error
      }
      running.leave()
    }.start()
  }

  /// Waits for the threads. Throws the last error that one of them threw.
  func wait() throws {
    running.wait()
    if let error = failure.value { throw error }
  }
}

/// A value that several threads share.
final class Shared<Value: Sendable>: Sendable {
  private let content: Mutex<Value>

  init(_ value: Value) { content = Mutex(value) }

  var value: Value {
    get { content.withLock { $0 } }
    set { content.withLock { $0 = newValue } }
  }

  func change(_ body: (inout Value) -> Void) {
    content.withLock { body(&$0) }
  }
}
