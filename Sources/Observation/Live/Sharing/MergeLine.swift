import SQLCore

/// A queue of the live results that have commits to merge.
///
/// A few tasks take the results from the queue, one after the other. There are at most as many
/// tasks as connections for live queries.
///
/// There are two reasons not to give each result its own task. First, the program's other tasks
/// would wait behind thousands of tasks. Second, a few tasks are faster: a merge that needs a
/// reader finds the connection of the previous merge idle, and runs on the same thread. Otherwise
/// each merge would move to a thread of the database and back.
final class MergeLine: Sendable {
  private struct State {
    /// The queued results. An element is nil once its result was taken.
    var results: [(any MergedResult)?] = []
    var start = 0
    var taskCount = 0

    /// Takes the first result. If the queue is empty, returns nil, and the calling task must end.
    mutating func takeFirst() -> (any MergedResult)? {
      guard start < results.count else {
        (results, start) = ([], 0)
        taskCount -= 1
        return nil
      }
      defer { start += 1 }
      return results[start].take()
    }
  }

  private let state = Lock(State())

  /// Adds a result to the end of the queue.
  ///
  /// - Parameter maximum: the greatest number of tasks that take results from the queue.
  func append(_ result: any MergedResult, atMost maximum: Int) {
    let begins = state.withLock { state in
      state.results.append(result)
      guard state.taskCount < maximum else { return false }
      state.taskCount += 1
      return true
    }
    // The task is detached, because it belongs to no observer and no writer.
    if begins { Task.detached { await self.mergeAll() } }
  }

  private func mergeAll() async {
    var count = 0
    while let result = state.withLock({ $0.takeFirst() }) {
      await result.merge()
      count += 1
      // Swift's pool has few threads. The task yields so that other tasks of the program can run,
      // such as the observers of the merged results.
      if count % 16 == 0 { await Task.yield() }
    }
  }
}

/// A result that can wait in a `MergeLine` to merge commits.
protocol MergedResult: AnyObject, Sendable {
  func merge() async
}

/// The outcome of merging commits.
enum Merging {
  /// The result after the commits; nil if it equals the previous result.
  case result(Results<Void>?)
  /// The commits cannot be merged. The caller must fetch the result with `refreshed(again: true)`.
  case mustFetch
}
