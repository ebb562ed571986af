/// The waiting accesses, first in, first out. Taking the first does not copy the rest.
struct WaitingLine {
  /// The waiters in order; nil for one that was taken. A taken waiter that stayed here would later
  /// be released while the lock is held, and with it the caller's closure that it holds.
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
