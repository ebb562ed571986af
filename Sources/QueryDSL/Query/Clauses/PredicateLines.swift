/// The lines of a block of predicates. A function that is itself a `@PredicateBuilder` returns
/// them, and an array literal of predicates makes them as well.
public struct PredicateLines: Sendable, ExpressibleByArrayLiteral {
  @usableFromInline package var nodes: ShortList<PredicateNode>

  @inlinable
  init(_ nodes: ShortList<PredicateNode>) {
    self.nodes = nodes
  }

  /// Makes lines of several predicates.
  public init(arrayLiteral lines: SQLPredicate...) {
    self.init(ShortList(lines.map(\.node)))
  }
}
