import SQLCore

/// The results into which commits are to be merged, in the order of the commits.
///
/// A few tasks merge them, as many as there are connections for live queries, one result after the
/// other. If each result had a task of its own, the program's other tasks would wait behind
/// thousands of them. And a merge in a reader finds the connection idle that the one before used, and
/// runs where it is: otherwise each would go to a thread of the database and back.
final class MergeLine: Sendable {
  private struct State {
    /// The results in line; nil for one that was taken.
    var results: [(any MergedResult)?] = []
    var start = 0
    var taskCount = 0

    /// Takes the first result. If there is none, the task that asks for it ends.
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

  /// Merges commits into a result after those in line.
  ///
  /// - Parameter maximum: the greatest number of tasks.
  func append(_ result: any MergedResult, atMost maximum: Int) {
    let begins = state.withLock { state in
      state.results.append(result)
      guard state.taskCount < maximum else { return false }
      state.taskCount += 1
      return true
    }
    // It belongs to no observer and no writer.
    if begins { Task.detached { await self.mergeAll() } }
  }

  private func mergeAll() async {
    var count = 0
    while let result = state.withLock({ $0.takeFirst() }) {
      await result.merge()
      count += 1
      // The threads of Swift's pool are few: other tasks of the program, and the observers that have
      // their results, go on in between.
      if count % 16 == 0 { await Task.yield() }
    }
  }
}

/// A result into which commits are merged in line with others.
protocol MergedResult: AnyObject, Sendable {
  func merge() async
}
