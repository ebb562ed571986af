import SQLCore

/// A change of a held result by the rows that a commit touched, and the difference that it makes.
/// The cost depends on the touched rows, not on how many are held.
struct ResultChange: Sendable {
  private let before: ResultWindow
  private(set) var after: ResultWindow
  /// The rows that were touched, before and after.
  private var touched: [RowKey: (old: ResultEntry?, new: ResultEntry?)] = [:]

  init(of window: ResultWindow) {
    before = window
    after = window
  }

  /// Sets the row with a key; nil if the query does not select it any more.
  mutating func set(_ key: RowKey, to new: ResultEntry?) {
    let old = before.entry(of: key)
    var isHeld = true
    switch (old, new) {
    case (nil, nil): return
    case (nil, let new?): isHeld = after.insert(new)
    case (let old?, nil): after.remove(old)
    case (let old?, let new?): isHeld = after.update(old, to: new)
    }
    touched[key] = (old, isHeld ? new : nil)
  }

  /// The rows that come from one row of a table, before and after.
  private struct Part {
    let old: [ResultEntry]
    let new: [ResultEntry]
  }

  /// Replaces the rows of each part by its new ones.
  ///
  /// Within a part, rows that are gone and rows that are new are taken for each other, in the order
  /// of their keys: a post whose author changes is one row that has other values.
  private mutating func replace(_ parts: [Part]) {
    var come: [(old: ResultEntry?, new: ResultEntry)] = []
    // Rows that are gone are removed first, since a key may equal another one in its collation.
    for part in parts {
      let oldKeys = Set(part.old.map(\.key))
      let newKeys = Set(part.new.map(\.key))
      let gone = part.old.filter { !newKeys.contains($0.key) }
      let new = part.new.filter { !oldKeys.contains($0.key) }
        .sorted { $0.key.compare($1.key) < 0 }
      for entry in gone { set(entry.key, to: nil) }
      for (index, entry) in new.enumerated() {
        come.append((index < gone.count ? gone[index] : nil, entry))
      }
    }
    for (old, new) in come {
      let held = after.insert(new) ? new : nil
      touched[new.key] = (nil, old == nil ? held : nil)
      if let old { touched[old.key] = (old, held) }
    }
    for part in parts {
      let newKeys = Dictionary(part.new.map { ($0.key, $0) }) { first, _ in first }
      for entry in part.old {
        guard let new = newKeys[entry.key] else { continue }
        if entry.fingerprint != new.fingerprint || before.order.compare(entry, new) != 0 {
          set(entry.key, to: new)
        }
      }
    }
  }

  /// Replaces the rows that come from some rows of a table, the *roots*, by others.
  ///
  /// - Parameter places: the places of the root's key among the values of a row's key.
  mutating func replaceRows(ofRoots roots: KeySet, by entries: [ResultEntry], at places: Range<Int>)
  {
    let entries = Dictionary(grouping: entries) { Array($0.key.values[places]) }
    // Where values of a key can be equal without being the same, there are other roots as well. All
    // rows of these are there, too.
    replace(
      roots.union(entries.keys).map { root in
        Part(old: before.entries(withKey: root, at: places), new: entries[root] ?? [])
      })
  }

  /// Returns the difference between the rows that are within the query's limit and offset before
  /// and after.
  mutating func difference() -> ResultsDifference {
    after.trim()
    var difference = ResultsDifference()
    var reordered: [Reordered] = []
    for (old, new) in touched.values {
      let origin = old.flatMap { before.visibleIndex(of: $0) }
      let destination = new.flatMap { after.visibleIndex(of: $0) }
      switch (origin, destination) {
      case (nil, nil): break
      case (nil, let destination?): difference.inserted.append(destination)
      case (let origin?, nil): difference.removed.append(origin)
      case (let origin?, let destination?):
        guard let old, let new else { break }
        if before.order.compare(old, new) == 0 {
          if old.fingerprint != new.fingerprint { difference.updated.append(destination) }
        } else {
          reordered.append(
            Reordered(
              origin: origin, destination: destination,
              isUpdated: old.fingerprint != new.fingerprint))
        }
      }
    }
    noteShifted(in: &difference)
    difference.removed.sort()
    difference.inserted.sort()
    separateMoves(reordered, in: &difference)
    difference.updated.sort()
    return difference
  }

  /// Adds untouched rows that came within the limit, or left it, because of the changes of others.
  private func noteShifted(in difference: inout ResultsDifference) {
    let (old, new) = (before.range, after.range)
    guard old != 0..<before.entries.count || new != 0..<after.entries.count else { return }
    difference.inserted += after.shifted(from: before) { touched[$0] != nil }
    difference.removed += before.shifted(from: after) { touched[$0] != nil }
  }

  /// A row whose place in the order changed.
  private struct Reordered {
    let origin: Int
    let destination: Int
    let isUpdated: Bool
  }

  /// Divides the rows whose order changed: those whose place among the others changed are moved,
  /// the rest only updated.
  private func separateMoves(
    _ reordered: [Reordered], in difference: inout ResultsDifference
  ) {
    guard !reordered.isEmpty else { return }
    let gone = (difference.removed + reordered.map(\.origin)).sorted()
    let come = (difference.inserted + reordered.map(\.destination)).sorted()
    var last = -1
    for row in reordered.sorted(by: { $0.origin < $1.origin }) {
      let (origin, destination) = (row.origin, row.destination)
      // The number of rows before it that were neither inserted, removed nor reordered.
      let rank = origin - gone.partitioningIndex { $0 >= origin }
      let newRank = destination - come.partitioningIndex { $0 >= destination }
      if rank == newRank, destination > last {
        last = destination
        if row.isUpdated { difference.updated.append(destination) }
      } else {
        difference.moved.append(.init(origin: origin, destination: destination))
      }
    }
    difference.moved.sort { $0.destination < $1.destination }
  }
}

extension ResultWindow {
  /// Returns the index of an entry among the rows that are within the limit and offset.
  fileprivate func visibleIndex(of entry: ResultEntry) -> Int? {
    guard let index = index(of: entry), range.contains(index) else { return nil }
    return index - range.lowerBound
  }

  /// Returns the indices of the untouched rows that are within the limit here but not there. They
  /// are at both ends.
  fileprivate func shifted(
    from other: ResultWindow, isTouched: (RowKey) -> Bool
  ) -> [Int] {
    var found: Set<Int> = []
    func visit(_ index: Int) -> Bool {
      let entry = entries[index]
      guard !isTouched(entry.key) else { return true }
      guard other.visibleIndex(of: entry) == nil else { return false }
      found.insert(index - range.lowerBound)
      return true
    }
    for index in range where !visit(index) { break }
    for index in range.reversed() where !visit(index) { break }
    return Array(found)
  }
}
