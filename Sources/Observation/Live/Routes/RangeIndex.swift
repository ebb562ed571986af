import SQLCore

/// An index of the subscriptions to value ranges of one column, as in `WHERE size BETWEEN ? AND ?`.
///
/// The index is an interval tree: a treap in the order of the lower bounds. Each node has the
/// greatest upper bound of its subtree. Adding and removing take as many steps as the depth of the
/// tree, which is about twice the logarithm of the number of ranges. Finding takes about as many
/// steps, and some more for each result.
struct RangeIndex {
  /// A range of values. A bound is nil if the range has no limit at that end.
  struct Range: Hashable {
    let lower: DatabaseValue?
    let upper: DatabaseValue?
  }

  private struct Node {
    let range: Range
    let id: UInt64
    let priority: UInt64
    var left = -1
    var right = -1
    /// The greatest upper bound in the subtree below this node. Nil if a range in the subtree has
    /// no upper bound.
    var greatest: DatabaseValue?
  }

  private var nodes: [Node] = []
  private var root = -1
  private var free: [Int] = []

  var isEmpty: Bool { root < 0 }

  mutating func insert(_ id: UInt64, _ range: Range) {
    // Consecutive ids need priorities that look random. Multiplying an id by this odd number gives
    // such a priority.
    let priority = (id &+ UInt64(free.count)) &* 0x9E37_79B9_7F4A_7C15
    let node = Node(range: range, id: id, priority: priority, greatest: range.upper)
    let place: Int
    if let last = free.popLast() {
      place = last
      nodes[place] = node
    } else {
      place = nodes.count
      nodes.append(node)
    }
    let (left, right) = split(root) { Self.isBefore($0, range, id) }
    root = merge(merge(left, place), right)
  }

  /// Removes a range of a subscription. If the subscription does not have the range, does nothing.
  mutating func remove(_ id: UInt64, _ range: Range) {
    let (left, rest) = split(root) { Self.isBefore($0, range, id) }
    let (equal, right) = split(rest) {
      $0.id == id && Self.compare($0.range.lower, range.lower) == 0
    }
    var kept = -1
    // A subscription may have several ranges with the same lower bound. Each range has its own
    // node.
    var removed = false
    var places: [Int] = []
    forEachPlace(equal) { places.append($0) }
    for place in places {
      if !removed, nodes[place].range == range {
        removed = true
        free.append(place)
      } else {
        (nodes[place].left, nodes[place].right) = (-1, -1)
        update(place)
        kept = merge(kept, place)
      }
    }
    root = merge(merge(left, kept), right)
    if root < 0 { (nodes, free) = ([], []) }
  }

  /// Calls a closure with each subscription whose range contains the value.
  func find(_ value: DatabaseValue, _ pattern: RowRoute.RangePattern, _ body: (UInt64) -> Void) {
    find(value, pattern, below: root, body)
  }

  func forEach(_ body: (UInt64) -> Void) {
    forEachPlace(root) { body(nodes[$0].id) }
  }

  // MARK: The tree

  private func find(
    _ value: DatabaseValue, _ pattern: RowRoute.RangePattern, below place: Int,
    _ body: (UInt64) -> Void
  ) {
    guard place >= 0 else { return }
    let node = nodes[place]
    if let greatest = node.greatest, value.compare(greatest) > 0 { return }
    find(value, pattern, below: node.left, body)
    // No lower bound in the right subtree is less than this lower bound, so if the value is below
    // this range, it is also below all ranges there.
    if let lower = node.range.lower, value.compare(lower) < 0 { return }
    if pattern.contains(value, node.range) { body(node.id) }
    find(value, pattern, below: node.right, body)
  }

  private func forEachPlace(_ place: Int, _ body: (Int) -> Void) {
    guard place >= 0 else { return }
    forEachPlace(nodes[place].left, body)
    body(place)
    forEachPlace(nodes[place].right, body)
  }

  /// Compares two lower bounds. Nil stands for a range without a lower bound, and comes before all
  /// values.
  private static func compare(_ first: DatabaseValue?, _ second: DatabaseValue?) -> Int {
    switch (first, second) {
    case (nil, nil): 0
    case (nil, _): -1
    case (_, nil): 1
    case (let first?, let second?): first.compare(second)
    }
  }

  private static func isBefore(_ node: Node, _ range: Range, _ id: UInt64) -> Bool {
    let order = compare(node.range.lower, range.lower)
    return order < 0 || order == 0 && node.id < id
  }

  private mutating func update(_ place: Int) {
    var greatest = nodes[place].range.upper
    for child in [nodes[place].left, nodes[place].right] where child >= 0 {
      guard let known = greatest, let other = nodes[child].greatest else {
        greatest = nil
        break
      }
      if other.compare(known) > 0 { greatest = other }
    }
    nodes[place].greatest = greatest
  }

  /// Splits a tree into two trees. The first tree gets the nodes that pass the test, and the second
  /// tree gets the other nodes. All nodes that pass must come before the others.
  private mutating func split(_ place: Int, _ isFirst: (Node) -> Bool) -> (Int, Int) {
    guard place >= 0 else { return (-1, -1) }
    if isFirst(nodes[place]) {
      let (first, second) = split(nodes[place].right, isFirst)
      nodes[place].right = first
      update(place)
      return (place, second)
    }
    let (first, second) = split(nodes[place].left, isFirst)
    nodes[place].left = second
    update(place)
    return (first, place)
  }

  private mutating func merge(_ first: Int, _ second: Int) -> Int {
    guard first >= 0 else { return second }
    guard second >= 0 else { return first }
    if nodes[first].priority > nodes[second].priority {
      let merged = merge(nodes[first].right, second)
      nodes[first].right = merged
      update(first)
      return first
    }
    let merged = merge(first, nodes[second].left)
    nodes[second].left = merged
    update(second)
    return second
  }
}

extension RowRoute {
  /// A column, and the way in which it is compared with the bounds of a range.
  struct RangePattern: Hashable, Sendable {
    enum Bound: Hashable, Sendable { case none, included, excluded }

    let column: PatternContent.Column
    var lower = Bound.none
    var upper = Bound.none

    /// Returns the range of a route, given the values of the route. The last two of these values
    /// are the bounds of the range.
    func range(_ values: [DatabaseValue]) -> RangeIndex.Range {
      // The code writes `Optional.none` for a missing bound, because the literal `nil` would be the
      // value NULL here.
      RangeIndex.Range(
        lower: lower == .none ? Optional.none : .some(values[values.count - 2]),
        upper: upper == .none ? Optional.none : .some(values[values.count - 1]))
    }

    fileprivate func contains(_ value: DatabaseValue, _ range: RangeIndex.Range) -> Bool {
      if let bound = range.lower {
        let order = value.compare(bound)
        if order < 0 || order == 0 && lower == .excluded { return false }
      }
      if let bound = range.upper {
        let order = value.compare(bound)
        if order > 0 || order == 0 && upper == .excluded { return false }
      }
      return true
    }
  }
}
