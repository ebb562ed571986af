/// A sequence whose versions share what they have in common: a tree of nodes that never change.
///
/// Reading, inserting, removing and replacing at an index cost the depth of the tree, which is four
/// for a million elements; a change copies one node of each level, and older versions stay as they
/// are.
struct PersistentSequence<Element: Sendable>: Sendable {
  /// A node that is never empty, but for the root of an empty sequence.
  final class Node: Sendable {
    enum Content: Sendable {
      case elements([Element])
      /// `ends` counts the elements of a child and of those before it.
      case children([Node], ends: [Int])
    }

    let content: Content
    let count: Int

    init(_ elements: [Element]) {
      content = .elements(elements)
      count = elements.count
    }

    init(_ children: [Node]) {
      var ends: [Int] = []
      ends.reserveCapacity(children.count)
      var end = 0
      for child in children {
        end += child.count
        ends.append(end)
      }
      content = .children(children, ends: ends)
      count = end
    }
  }

  /// A node has at most so many elements or children.
  static var capacity: Int { 64 }

  private(set) var root: Node

  init() { root = Node([Element]()) }

  /// A sequence of these elements, its nodes three quarters full.
  init(_ elements: [Element]) {
    let size = Self.capacity * 3 / 4
    var nodes = stride(from: 0, to: elements.count, by: size).map { start in
      Node(Array(elements[start..<Swift.min(start + size, elements.count)]))
    }
    while nodes.count > 1 {
      nodes = stride(from: 0, to: nodes.count, by: size).map { start in
        Node(Array(nodes[start..<Swift.min(start + size, nodes.count)]))
      }
    }
    root = nodes.first ?? Node([Element]())
  }

  var count: Int { root.count }

  subscript(index: Int) -> Element {
    var node = root
    var index = index
    while true {
      switch node.content {
      case .elements(let elements): return elements[index]
      case .children(let children, let ends):
        let place = Self.place(of: index, in: ends)
        if place > 0 { index -= ends[place - 1] }
        node = children[place]
      }
    }
  }

  /// The elements around an index, and where they begin: for walking.
  func leaf(around index: Int) -> (elements: [Element], start: Int) {
    var node = root
    var start = 0
    while true {
      switch node.content {
      case .elements(let elements): return (elements, start)
      case .children(let children, let ends):
        let place = Self.place(of: index - start, in: ends)
        if place > 0 { start += ends[place - 1] }
        node = children[place]
      }
    }
  }

  /// The first index whose element belongs to the second part, where the elements of the first part
  /// all come before those of the second.
  func partitioningIndex(_ belongsToSecond: (Element) -> Bool) -> Int {
    var node = root
    var start = 0
    while true {
      switch node.content {
      case .elements(let elements):
        return start + Self.partitioningIndex(elements.count) { belongsToSecond(elements[$0]) }
      case .children(let children, let ends):
        // The last child whose first element belongs to the first part.
        let next = Self.partitioningIndex(children.count) { belongsToSecond(children[$0].first) }
        guard next > 0 else { return start }
        if next > 1 { start += ends[next - 2] }
        node = children[next - 1]
      }
    }
  }

  // MARK: Changing

  mutating func insert(_ element: Element, at index: Int) {
    let (node, sibling) = root.inserting(element, at: index)
    root = sibling.map { Node([node, $0]) } ?? node
  }

  mutating func remove(at index: Int) {
    root = root.removing(at: index) ?? Node([Element]())
    while case .children(let children, _) = root.content, children.count == 1 {
      root = children[0]
    }
  }

  mutating func replace(at index: Int, with element: Element) {
    root = root.replacing(at: index, with: element)
  }

  // MARK: Places

  /// The child that holds the element at an index.
  fileprivate static func place(of index: Int, in ends: [Int]) -> Int {
    partitioningIndex(ends.count) { ends[$0] > index }
  }

  private static func partitioningIndex(_ count: Int, _ belongsToSecond: (Int) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if belongsToSecond(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension PersistentSequence.Node {
  private var capacity: Int { PersistentSequence<Element>.capacity }

  /// The first element; the node is not empty.
  fileprivate var first: Element {
    var node = self
    while true {
      switch node.content {
      case .elements(let elements): return elements[0]
      case .children(let children, _): node = children[0]
      }
    }
  }

  /// The node with one element more, and the second half of it where it grew too large.
  fileprivate func inserting(
    _ element: Element, at index: Int
  ) -> (PersistentSequence<Element>.Node, PersistentSequence<Element>.Node?) {
    switch content {
    case .elements(var elements):
      elements.insert(element, at: index)
      guard elements.count > capacity else {
        return (PersistentSequence<Element>.Node(elements), nil)
      }
      let half = elements.count / 2
      return (
        PersistentSequence<Element>.Node(Array(elements[..<half])),
        PersistentSequence<Element>.Node(Array(elements[half...]))
      )
    case .children(var children, let ends):
      // Behind the last element is the end of the last child.
      let place = Swift.min(
        PersistentSequence<Element>.place(of: index, in: ends), children.count - 1)
      let offset = place > 0 ? ends[place - 1] : 0
      let (child, sibling) = children[place].inserting(element, at: index - offset)
      children[place] = child
      if let sibling { children.insert(sibling, at: place + 1) }
      guard children.count > capacity else {
        return (PersistentSequence<Element>.Node(children), nil)
      }
      let half = children.count / 2
      return (
        PersistentSequence<Element>.Node(Array(children[..<half])),
        PersistentSequence<Element>.Node(Array(children[half...]))
      )
    }
  }

  /// The node without one element; nil where none is left.
  fileprivate func removing(at index: Int) -> PersistentSequence<Element>.Node? {
    switch content {
    case .elements(var elements):
      elements.remove(at: index)
      return elements.isEmpty ? nil : PersistentSequence<Element>.Node(elements)
    case .children(var children, let ends):
      let place = PersistentSequence<Element>.place(of: index, in: ends)
      let offset = place > 0 ? ends[place - 1] : 0
      guard let child = children[place].removing(at: index - offset) else {
        children.remove(at: place)
        return children.isEmpty ? nil : PersistentSequence<Element>.Node(children)
      }
      children[place] = child
      // A node that became small joins its neighbour.
      for other in [place - 1, place + 1] where children.indices.contains(other) {
        let left = Swift.min(place, other)
        guard let joined = children[left].joined(with: children[left + 1]) else { continue }
        children[left] = joined
        children.remove(at: left + 1)
        break
      }
      return PersistentSequence<Element>.Node(children)
    }
  }

  /// Both nodes as one, where that is half full at most.
  private func joined(
    with next: PersistentSequence<Element>.Node
  ) -> PersistentSequence<Element>.Node? {
    switch (content, next.content) {
    case (.elements(let first), .elements(let second))
    where first.count + second.count <= capacity / 2:
      PersistentSequence<Element>.Node(first + second)
    case (.children(let first, _), .children(let second, _))
    where first.count + second.count <= capacity / 2:
      PersistentSequence<Element>.Node(first + second)
    default: nil
    }
  }

  fileprivate func replacing(
    at index: Int, with element: Element
  ) -> PersistentSequence<Element>.Node {
    switch content {
    case .elements(var elements):
      elements[index] = element
      return PersistentSequence<Element>.Node(elements)
    case .children(var children, let ends):
      let place = PersistentSequence<Element>.place(of: index, in: ends)
      let offset = place > 0 ? ends[place - 1] : 0
      children[place] = children[place].replacing(at: index - offset, with: element)
      return PersistentSequence<Element>.Node(children)
    }
  }
}
