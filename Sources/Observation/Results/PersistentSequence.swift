import SQLCore

/// A sequence that is stored in a tree of nodes. A changed copy shares the unchanged nodes with the
/// original.
///
/// Reading, inserting, removing and replacing at an index take as many steps as the depth of the
/// tree, which is five for a million elements. A change affects one node of each level. If another
/// version of the sequence shares such a node, the change copies the node first, so that the other
/// version does not change.
struct PersistentSequence<Element: Sendable>: Sendable {
  /// A leaf with elements, or a node with children. Only the root of an empty sequence is empty.
  ///
  /// `@unchecked Sendable`: a node is changed only while exactly one sequence refers to the node.
  /// Its properties are `@exclusivity(unchecked)`, because code that changes a node does not access
  /// the same node in any other way meanwhile.
  final class Node: @unchecked Sendable {
    @exclusivity(unchecked) fileprivate(set) var elements: [Element] = []
    @exclusivity(unchecked) fileprivate(set) var children: [Node] = []
    /// For each child, the number of elements in it and in all children before it.
    @exclusivity(unchecked) var ends: [Int] = []

    init(_ elements: [Element]) {
      self.elements = elements
    }

    init(_ children: [Node]) {
      self.children = children
      countChildren()
    }

    /// Creates a copy that can be changed. The arrays share their storage with the original's
    /// arrays until they are changed.
    init(copying node: Node) {
      elements = node.elements
      children = node.children
      ends = node.ends
    }

    var isLeaf: Bool { children.isEmpty }
    var count: Int { ends.last ?? elements.count }
  }

  /// The largest number of elements or children that a node may have.
  static var capacity: Int { 32 }

  private(set) var root: Node

  init() { root = Node([Element]()) }

  /// Creates a sequence of the given elements. Its nodes are three quarters full, so that
  /// insertions have room.
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
    while !node.isLeaf {
      let place = node.place(of: index)
      if place > 0 { index -= node.ends[place - 1] }
      node = node.children[place]
    }
    return node.elements[index]
  }

  /// Returns the elements of the leaf that holds the given index, and the index of the leaf's first
  /// element. This is for iteration.
  func leaf(around index: Int) -> (elements: [Element], start: Int) {
    var node = root
    var start = 0
    while !node.isLeaf {
      let place = node.place(of: index - start)
      if place > 0 { start += node.ends[place - 1] }
      node = node.children[place]
    }
    return (node.elements, start)
  }

  /// Returns the index of the first element for which the closure returns true, by binary search.
  /// All elements for which the closure returns false must come before the others.
  func partitioningIndex(_ belongsToSecond: (Element) -> Bool) -> Int {
    var node = root
    var start = 0
    while !node.isLeaf {
      // The closure returns false for all elements before the searched index. So the search
      // continues in the last child for whose first element the closure returns false.
      let next = node.children.partitioningIndex { belongsToSecond($0.first) }
      guard next > 0 else { return start }
      if next > 1 { start += node.ends[next - 2] }
      node = node.children[next - 1]
    }
    return start + node.elements.partitioningIndex(where: belongsToSecond)
  }

  // MARK: Changing

  mutating func insert(_ element: Element, at index: Int) {
    if let sibling = Node.insert(element, at: index, into: &root) { root = Node([root, sibling]) }
    didChange(at: index)
  }

  mutating func remove(at index: Int) {
    Node.remove(at: index, from: &root)
    while root.children.count == 1 { root = root.children[0] }
    didChange(at: index)
  }

  mutating func replace(at index: Int, with element: Element) {
    Node.replace(at: index, in: &root, with: element)
    didChange(at: index)
  }

  @inline(__always)
  private func didChange(at index: Int) {
    #if DEBUG
      InvariantChecks.run { try root.checkInvariants(around: Swift.max(0, index)) }
    #endif
  }
}

#if DEBUG
  extension PersistentSequence {
    /// Throws if a node miscounts its elements or has a wrong size, or if the leaves are not
    /// equally deep.
    func checkInvariants() throws { try root.checkInvariants() }
  }

  extension PersistentSequence.Node {
    /// Checks the tree below the node, and returns the number of its levels, including the node.
    ///
    /// - Parameter index: the index of an element. Only the nodes from the root to the element's
    ///   leaf are checked. If nil, all nodes are checked. An index after the last element stands
    ///   for the last element.
    @discardableResult
    func checkInvariants(isRoot: Bool = true, around index: Int? = nil) throws -> Int {
      try InvariantChecks.require(
        elements.count <= Self.capacity && children.count <= Self.capacity, "a node is too large")
      try InvariantChecks.require(isRoot || count > 0, "a node below the root is empty")
      guard !isLeaf else {
        try InvariantChecks.require(ends.isEmpty, "a leaf counts children")
        return 1
      }
      try InvariantChecks.require(elements.isEmpty, "a node with children has elements")
      try InvariantChecks.require(!isRoot || children.count > 1, "the root has one child")
      try InvariantChecks.require(ends.count == children.count, "a node miscounts its children")
      let index = index.map { Swift.min($0, count - 1) }
      var start = 0
      var levels: Set<Int> = []
      for (child, end) in zip(children, ends) {
        try InvariantChecks.require(
          start + child.count == end, "a node miscounts the elements of a child")
        if index.map((start..<end).contains) ?? true {
          let inside = index.map { $0 - start }
          levels.insert(try child.checkInvariants(isRoot: false, around: inside))
        }
        start = end
      }
      try InvariantChecks.require(levels.count == 1, "the leaves are not equally deep")
      return 1 + (levels.first ?? 0)
    }
  }
#endif

extension PersistentSequence.Node {
  typealias Node = PersistentSequence<Element>.Node
  private static var capacity: Int { PersistentSequence<Element>.capacity }

  /// Returns the index in `children` of the child that holds the element at the given index.
  fileprivate func place(of index: Int) -> Int { ends.partitioningIndex { $0 > index } }

  /// The first element. The node must not be empty.
  fileprivate var first: Element {
    var node = self
    while !node.isLeaf { node = node.children[0] }
    return node.elements[0]
  }

  private func countChildren() {
    var end = 0
    ends = children.map { child in
      end += child.count
      return end
    }
  }

  /// Replaces the node by a copy if another reference to it exists.
  private static func own(_ node: inout Node) {
    if !isKnownUniquelyReferenced(&node) { node = Node(copying: node) }
  }

  /// Inserts an element. If the node grows too large, splits the node and returns its second half.
  fileprivate static func insert(
    _ element: Element, at index: Int, into node: inout Node
  ) -> Node? {
    own(&node)
    guard !node.isLeaf else {
      node.elements.insert(element, at: index)
      guard node.elements.count > capacity else { return nil }
      let half = node.elements.count / 2
      let sibling = Node(Array(node.elements[half...]))
      node.elements.removeSubrange(half...)
      return sibling
    }
    // An index after the last element belongs to the last child.
    let place = Swift.min(node.place(of: index), node.children.count - 1)
    let start = place > 0 ? node.ends[place - 1] : 0
    guard let sibling = insert(element, at: index - start, into: &node.children[place]) else {
      for later in place..<node.ends.count { node.ends[later] += 1 }
      return nil
    }
    node.children.insert(sibling, at: place + 1)
    guard node.children.count > capacity else {
      node.countChildren()
      return nil
    }
    let half = node.children.count / 2
    let second = Node(Array(node.children[half...]))
    node.children.removeSubrange(half...)
    node.countChildren()
    return second
  }

  /// Removes an element. The node may be empty afterwards.
  fileprivate static func remove(at index: Int, from node: inout Node) {
    own(&node)
    guard !node.isLeaf else {
      node.elements.remove(at: index)
      return
    }
    let place = node.place(of: index)
    let start = place > 0 ? node.ends[place - 1] : 0
    remove(at: index - start, from: &node.children[place])
    for later in place..<node.ends.count { node.ends[later] -= 1 }
    if node.children[place].count == 0 {
      node.children.remove(at: place)
      node.ends.remove(at: place)
    } else if node.children[place].isSmall {
      node.joinChild(at: place)
    }
  }

  private var isSmall: Bool {
    (isLeaf ? elements.count : children.count) <= Self.capacity / 4
  }

  /// Merges a child that became small and a neighbour into one node. Does nothing if the merged
  /// node would be more than half full.
  private func joinChild(at place: Int) {
    for other in [place - 1, place + 1] where children.indices.contains(other) {
      let left = Swift.min(place, other)
      guard let joined = children[left].joined(with: children[left + 1]) else { continue }
      children[left] = joined
      children.remove(at: left + 1)
      countChildren()
      return
    }
  }

  private func joined(with next: Node) -> Node? {
    let half = Self.capacity / 2
    guard isLeaf else {
      let fits = children.count + next.children.count <= half
      return fits ? Node(children + next.children) : nil
    }
    return elements.count + next.elements.count <= half ? Node(elements + next.elements) : nil
  }

  fileprivate static func replace(at index: Int, in node: inout Node, with element: Element) {
    own(&node)
    guard !node.isLeaf else {
      node.elements[index] = element
      return
    }
    let place = node.place(of: index)
    let start = place > 0 ? node.ends[place - 1] : 0
    replace(at: index - start, in: &node.children[place], with: element)
  }
}
