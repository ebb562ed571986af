/// A line of elements, first in, first out. Taking the first does not copy the rest.
struct Queue<Element> {
  /// The elements in order; nil for one that was taken. If a taken element stayed here, it would be
  /// released later, perhaps while a lock is held, and releasing it may run code of the user's.
  private var elements: [Element?] = []
  private var start = 0

  var count: Int { elements.count - start }
  var isEmpty: Bool { start == elements.count }
  var first: Element? { isEmpty ? nil : elements[start] }

  func contains(where isWanted: (Element) -> Bool) -> Bool {
    elements[start...].contains { $0.map(isWanted) ?? false }
  }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func popFirst() -> Element? {
    guard !isEmpty else { return nil }
    let first = elements[start].take()
    start += 1
    if start == elements.count || start > 256 {
      elements.removeFirst(start)
      start = 0
    }
    return first
  }
}
