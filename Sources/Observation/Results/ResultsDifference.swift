/// What turns one result of a query into the next.
///
/// Take the rows at `removed` and at the origins of `moved` out of the old result; put in, in
/// ascending order, what the new one has at `inserted` and at the destinations of `moved`; and
/// replace what stands at `updated`. Every index list is in ascending order.
public struct ResultsDifference: Hashable, Sendable {
  /// A row that stands elsewhere among the others; its values may differ as well.
  public struct Move: Hashable, Sendable {
    /// Its index in the old result.
    public let origin: Int
    /// Its index in the new result.
    public let destination: Int
  }

  /// The indices in the old result of the rows that are gone.
  public internal(set) var removed: [Int] = []
  /// The indices in the new result of the rows that came.
  public internal(set) var inserted: [Int] = []
  /// The rows that stand elsewhere among the others.
  public internal(set) var moved: [Move] = []
  /// The indices in the new result of the rows that have other values, and did not move.
  public internal(set) var updated: [Int] = []

  /// Whether the results are equal.
  public var isEmpty: Bool {
    removed.isEmpty && inserted.isEmpty && moved.isEmpty && updated.isEmpty
  }
}
