import SQLCore

/// An index that finds the rows of a held result by one part of their keys. In a join of posts and
/// authors, for example, the key of a row consists of the post's key and the author's key, and this
/// index finds all rows of an author. If a left join found no author, that part is NULL. Keys with
/// such a NULL are left out unless `keepsNull` is true.
///
/// If a row changes but keeps its key, the index does not change.
struct KeyIndex: Sendable {
  /// The range of indices at which a key has the values of the part. For example, the range 1..<2
  /// stands for the second value of the key.
  let places: Range<Int>
  private let keepsNull: Bool
  private var keys: PersistentSequence<[DatabaseValue]>

  /// - Parameter keepsNull: whether to keep a key whose first value at `places` is NULL.
  init(of rows: [ResultEntry], at places: Range<Int>, keepsNull: Bool) {
    self.places = places
    self.keepsNull = keepsNull
    keys = PersistentSequence(
      rows.map(\.key.values).filter { Self.isThere($0, at: places, keepsNull) }.sorted {
        Self.compare($0, $1, at: places) < 0
      })
  }

  /// Returns the keys that have the given values at `places`.
  func keys(with values: [DatabaseValue]) -> [[DatabaseValue]] {
    let start = keys.partitioningIndex { Self.compare($0, toPart: values, at: places) >= 0 }
    return keys.run(from: start) { Self.compare($0, toPart: values, at: places) == 0 }
  }

  mutating func insert(_ key: [DatabaseValue]) {
    guard Self.isThere(key, at: places, keepsNull) else { return }
    let place = place(of: key)
    keys.insert(key, at: place)
  }

  mutating func remove(_ key: [DatabaseValue]) {
    guard Self.isThere(key, at: places, keepsNull) else { return }
    let place = place(of: key)
    guard place < keys.count, keys[place] == key else { return }
    keys.remove(at: place)
  }

  // `keys` must not be copied, not even for a moment. A copy would share the nodes of `keys`, so
  // the next change of `keys` would first have to copy these nodes.

  private func place(of key: [DatabaseValue]) -> Int {
    keys.partitioningIndex { Self.compare($0, key, at: places) >= 0 }
  }

  private static func isThere(
    _ key: [DatabaseValue], at places: Range<Int>, _ keepsNull: Bool
  ) -> Bool {
    keepsNull || key[places.lowerBound] != .null
  }

  private static func compare(
    _ key: [DatabaseValue], toPart values: [DatabaseValue], at places: Range<Int>
  ) -> Int {
    for (index, place) in places.enumerated() {
      let order = key[place].compare(values[index])
      if order != 0 { return order }
    }
    return 0
  }

  private static func compare(
    _ first: [DatabaseValue], _ second: [DatabaseValue], at places: Range<Int>
  ) -> Int {
    for place in places {
      let order = first[place].compare(second[place])
      if order != 0 { return order }
    }
    return DatabaseValue.compare(first, toFirst: second)
  }
}

extension PersistentSequence {
  /// Returns the elements from the index `start` on, as long as the closure returns true for them.
  func run(from start: Int, while holds: (Element) -> Bool) -> [Element] {
    var run: [Element] = []
    var index = start
    while index < count {
      let leaf = leaf(around: index)
      for element in leaf.elements[(index - leaf.start)...] {
        guard holds(element) else { return run }
        run.append(element)
      }
      index = leaf.start + leaf.elements.count
    }
    return run
  }
}
