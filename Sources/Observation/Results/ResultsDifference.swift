/// The changes that turn one result of a query into the next.
///
/// To apply them, remove the rows at `removed` and at the origins of `moved` from the old result;
/// insert, in ascending order, the new result's rows at `inserted` and at the destinations of
/// `moved`; and replace the rows at `updated`. Every list is in ascending order of indices.
public struct ResultsDifference: Hashable, Sendable {
  /// A row whose place among the others changed; its values may differ as well.
  public struct Move: Hashable, Sendable {
    /// Its index in the old result.
    public let origin: Int
    /// Its index in the new result.
    public let destination: Int
  }

  /// The indices in the old result of the rows that are gone.
  public internal(set) var removed: [Int] = []
  /// The indices in the new result of the rows that are new.
  public internal(set) var inserted: [Int] = []
  /// The rows whose place among the others changed.
  public internal(set) var moved: [Move] = []
  /// The indices in the new result of the rows that have other values but did not move.
  public internal(set) var updated: [Int] = []

  /// Whether the two results are equal.
  public var isEmpty: Bool {
    removed.isEmpty && inserted.isEmpty && moved.isEmpty && updated.isEmpty
  }
}
