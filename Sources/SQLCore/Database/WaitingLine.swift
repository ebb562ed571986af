/// Who waits, first in first out; taking the first costs no copy of the rest.
struct WaitingLine {
  /// nil where one was taken: a waiter that stayed here to be removed would let go of the closure
  /// that it holds, somebody's code, with the lock held.
  private var waiters: [Waiter?] = []
  private var start = 0

  var count: Int { waiters.count - start }
  var isEmpty: Bool { start == waiters.count }
  var first: Waiter? { isEmpty ? nil : waiters[start] }

  func contains(where isWanted: (Waiter) -> Bool) -> Bool {
    waiters[start...].contains { $0.map(isWanted) ?? false }
  }

  mutating func append(_ waiter: Waiter) { waiters.append(waiter) }

  mutating func removeFirst() -> Waiter? {
    guard !isEmpty else { return nil }
    let first = waiters[start].take()
    start += 1
    if start == waiters.count || start > 256 {
      waiters.removeFirst(start)
      start = 0
    }
    return first
  }
}
