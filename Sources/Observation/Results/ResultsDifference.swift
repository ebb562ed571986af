import SQLCore

/// The changes that turn one result of a query into the next result.
///
/// ```swift
/// for try await posts in db.observe(Post.order(by: \.$title)) {
///   let difference = posts.difference
///   print(difference.removed, difference.inserted, difference.moved, difference.updated)
/// }
/// ```
///
/// Apply the difference in three steps. First, remove the rows at `removed` and at the origins of
/// `moved` from the old result. Second, insert the new result's rows at `inserted` and at the
/// destinations of `moved`, in ascending order. Third, replace the rows at `updated`.
///
/// All lists are in ascending order of their indices; `moved` is in the order of the destinations.
public struct ResultsDifference: Hashable, Sendable {
  /// A row whose place among the other rows changed. Its values may have changed as well.
  public struct Move: Hashable, Sendable {
    /// The index of the row in the old result.
    public let origin: Int
    /// The index of the row in the new result.
    public let destination: Int
  }

  /// The rows that are gone, by their indices in the old result.
  public internal(set) var removed: [Int] = []
  /// The new rows, by their indices in the new result.
  public internal(set) var inserted: [Int] = []
  /// The rows whose place among the other rows changed.
  public internal(set) var moved: [Move] = []
  /// The rows that have other values but did not move, by their indices in the new result.
  public internal(set) var updated: [Int] = []

  /// Whether the two results are equal.
  public var isEmpty: Bool {
    removed.isEmpty && inserted.isEmpty && moved.isEmpty && updated.isEmpty
  }
}

/// A comparison of two fetched results, row by row.
enum ResultsComparison {
  /// The identity by which a row of the old result is found in the new result. It is the key of the
  /// row. If the rows have no keys, it consists of the fingerprint of the row's values and the
  /// number of equal rows before the row.
  private enum Identity: Hashable {
    case key(RowKey)
    case values(UInt64, occurrence: Int)
  }

  static func difference(
    from old: some RandomAccessCollection<ResultEntry>,
    to new: some RandomAccessCollection<ResultEntry>, haveKeys: Bool
  ) -> ResultsDifference {
    var difference = ResultsDifference()
    func isSame(_ first: ResultEntry, _ second: ResultEntry) -> Bool {
      first.fingerprint == second.fingerprint && (!haveKeys || first.key == second.key)
    }
    var old = Array(old)[...]
    var new = Array(new)[...]
    while let first = old.first, let second = new.first, isSame(first, second) {
      old.removeFirst()
      new.removeFirst()
    }
    while let first = old.last, let second = new.last, isSame(first, second) {
      old.removeLast()
      new.removeLast()
    }
    guard !old.isEmpty || !new.isEmpty else { return difference }
    var places: [Identity: Int] = [:]
    for (index, identity) in zip(old.indices, identities(old, haveKeys)) {
      places[identity] = index
    }
    var kept: [(origin: Int, destination: Int)] = []
    for (index, identity) in zip(new.indices, identities(new, haveKeys)) {
      if let origin = places.removeValue(forKey: identity) {
        kept.append((origin, index))
      } else {
        difference.inserted.append(index)
      }
    }
    difference.removed = places.values.sorted()
    let stable = longestRising(kept.map(\.origin))
    for (place, pair) in kept.enumerated() {
      if !stable.contains(place) {
        difference.moved.append(.init(origin: pair.origin, destination: pair.destination))
      } else if old[pair.origin].fingerprint != new[pair.destination].fingerprint {
        difference.updated.append(pair.destination)
      }
    }
    return difference
  }

  private static func identities(
    _ entries: ArraySlice<ResultEntry>, _ haveKeys: Bool
  ) -> [Identity] {
    guard !haveKeys else { return entries.map { .key($0.key) } }
    var counts: [UInt64: Int] = [:]
    return entries.map { entry in
      let count = counts[entry.fingerprint, default: 0]
      counts[entry.fingerprint] = count + 1
      return .values(entry.fingerprint, occurrence: count)
    }
  }

  /// Returns the indices of the numbers that form a longest ascending subsequence. The rows with
  /// these indices count as not moved.
  private static func longestRising(_ numbers: [Int]) -> Set<Int> {
    // The element at index n stands for the ascending subsequences of n + 1 numbers. It is the
    // index of the smallest number with which such a subsequence can end.
    var ends: [Int] = []
    var previous: [Int?] = []
    for (place, number) in numbers.enumerated() {
      let length = ends.partitioningIndex { numbers[$0] >= number }
      previous.append(length > 0 ? ends[length - 1] : nil)
      if length < ends.count { ends[length] = place } else { ends.append(place) }
    }
    var rising: Set<Int> = []
    var place = ends.last
    while let current = place {
      rising.insert(current)
      place = previous[current]
    }
    return rising
  }
}
