import SQLCore

/// The entries of a held result in the order of a part of their keys: the key of a joined table.
/// Entries to which a left join gave no row of that table are left out; those of groups are not.
struct KeyIndex: Sendable {
  /// The places of the part among the values of a key.
  let places: Range<Int>
  private let keepsNull: Bool
  private var entries: PersistentSequence<ResultEntry>

  /// - Parameter keepsNull: whether entries whose key begins with NULL at these places are kept.
  init(of rows: [ResultEntry], at places: Range<Int>, keepsNull: Bool) {
    self.places = places
    self.keepsNull = keepsNull
    entries = PersistentSequence(
      rows.filter { Self.isThere($0, at: places, keepsNull) }.sorted {
        Self.compare($0, $1, at: places) < 0
      })
  }

  /// Returns the entries whose key has the given values at these places.
  func entries(with values: [DatabaseValue]) -> [ResultEntry] {
    func compare(_ entry: ResultEntry) -> Int {
      RowOrder.compare(entry.key.values[places], values[...]) { _ in .binary }
    }
    let start = entries.partitioningIndex { compare($0) >= 0 }
    return entries.run(from: start) { compare($0) == 0 }
  }

  mutating func insert(_ entry: ResultEntry) {
    guard Self.isThere(entry, at: places, keepsNull) else { return }
    let place = place(of: entry)
    entries.insert(entry, at: place)
  }

  mutating func remove(_ entry: ResultEntry) {
    guard let place = knownPlace(of: entry) else { return }
    entries.remove(at: place)
  }

  /// Replaces the entry with the same key.
  mutating func replace(_ entry: ResultEntry) {
    guard let place = knownPlace(of: entry) else { return }
    entries.replace(at: place, with: entry)
  }

  // A copy of `entries`, even a temporary one, would make its nodes shared, so that a change copies
  // them.

  private func place(of entry: ResultEntry) -> Int {
    entries.partitioningIndex { Self.compare($0, entry, at: places) >= 0 }
  }

  private func knownPlace(of entry: ResultEntry) -> Int? {
    guard Self.isThere(entry, at: places, keepsNull) else { return nil }
    let place = place(of: entry)
    return place < entries.count && entries[place].key == entry.key ? place : nil
  }

  private static func isThere(
    _ entry: ResultEntry, at places: Range<Int>, _ keepsNull: Bool
  ) -> Bool {
    keepsNull || entry.key.values[places.lowerBound] != .null
  }

  private static func compare(
    _ first: ResultEntry, _ second: ResultEntry, at places: Range<Int>
  ) -> Int {
    let order = RowOrder.compare(first.key.values[places], second.key.values[places]) { _ in
      .binary
    }
    return order != 0 ? order : first.key.compare(second.key)
  }
}

extension PersistentSequence {
  /// Returns the elements from an index on for as long as a condition holds.
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
