import SQLCore

/// The change that a commit makes in a held result, and the difference for observers. The cost
/// depends on the number of touched rows, not on the number of held rows.
struct ResultChange: Sendable {
  private let before: ResultWindow
  private(set) var after: ResultWindow
  /// The touched rows, by their keys.
  private var touched: [RowKey: Touched] = [:]
  /// Whether every row has the same index before and after the change.
  private var keepsPlaces = true

  /// A touched row, before and after the change.
  private struct Touched {
    var old: ResultEntry?
    var new: ResultEntry?
    /// The index of the row among the held rows, if the change does not move the row; otherwise
    /// nil.
    var place: Int?
  }

  init(of window: ResultWindow) {
    before = window
    after = window
  }

  /// A row before and after the change. `old` is nil if the row did not exist before the change.
  /// `new` is nil if the row does not exist after it.
  typealias Row = (old: ResultEntry?, new: ResultEntry?)

  /// The touched rows, by their keys.
  var touchedRows: [Row] { touched.values.map { ($0.old, $0.new) } }

  /// Stores the rows from which the plan makes the result, such as those of each SELECT of a UNION.
  mutating func keep(_ parts: [ResultWindow]) { after.parts = parts }

  /// Sets the row with a key, or removes the row if `new` is nil.
  mutating func set(_ key: RowKey, to new: ResultEntry?) {
    set(key, before.entry(of: key), to: new)
  }

  private mutating func set(_ key: RowKey, _ old: ResultEntry?, to new: ResultEntry?) {
    if let old, let new, let place = after.replace(old, by: new) {
      touched[key] = Touched(old: old, new: new, place: place)
      return
    }
    var isHeld = true
    switch (old, new) {
    case (nil, nil): return
    case (nil, let new?): isHeld = after.insert(new)
    case (let old?, nil): after.remove(old)
    case (let old?, let new?): isHeld = after.move(old, to: new)
    }
    keepsPlaces = false
    touched[key] = Touched(old: old, new: isHeld ? new : nil)
  }

  /// The result rows that come from one row of a table, before and after the change, in the order
  /// of their keys.
  private struct Part {
    let old: [ResultEntry]
    let new: ArraySlice<ResultEntry>
  }

  /// For each part, replaces its old rows in the result by its new rows.
  ///
  /// If a part loses a row and gets a row with another key, both together are reported as one
  /// changed row. An example is a post, joined with its author, that gets another author.
  private mutating func replace(_ parts: [Part]) {
    var come: [(old: ResultEntry?, new: ResultEntry)] = []
    var kept: [(old: ResultEntry, new: ResultEntry)] = []
    // All removed rows are removed before any new row is inserted, because a new key may equal a
    // removed key under the collation of the column.
    for part in parts {
      var (old, new) = (part.old[...], part.new)
      var gone: [ResultEntry] = []
      var own: [ResultEntry] = []
      while let first = old.first ?? new.first {
        let order = old.isEmpty ? 1 : new.first.map { first.key.compare($0.key) } ?? -1
        if order == 0, let next = new.first, first.key == next.key {
          kept.append((first, next))
          old.removeFirst()
          new.removeFirst()
        } else if order <= 0 {
          gone.append(first)
          old.removeFirst()
        } else if let next = new.popFirst() {
          own.append(next)
        }
      }
      for entry in gone { set(entry.key, entry, to: nil) }
      for (index, entry) in own.enumerated() {
        come.append((index < gone.count ? gone[index] : nil, entry))
      }
    }
    for (old, new) in come {
      keepsPlaces = false
      let held = after.insert(new) ? new : nil
      touched[new.key] = Touched(new: old == nil ? held : nil)
      if let old { touched[old.key] = Touched(old: old, new: held) }
    }
    for (old, new) in kept
    where old.fingerprint != new.fingerprint || before.order.compare(old, new) != 0 {
      set(old.key, old, to: new)
    }
  }

  /// Replaces the rows of the result that come from the given *roots*, which are rows of a table.
  ///
  /// - Parameter count: the number of values in the key of a root. The key of a row of the result
  ///   begins with the key of its root.
  mutating func replaceRows(
    ofRoots roots: KeySet, by entries: [ResultEntry], keyedByFirst count: Int
  ) {
    let entries = entries.sorted { $0.key.compare($1.key) < 0 }
    var parts: [Part] = []
    var empty = roots
    var start = 0
    while start < entries.count {
      let root = Array(entries[start].key.values[..<count])
      var end = start + 1
      while end < entries.count, entries[end].key.compare(toFirst: root) == 0 { end += 1 }
      // `entries` may also have rows of roots that are not in `roots`, for example if two keys can
      // be equal without being identical. In this case, `entries` has all rows of such a root.
      empty.remove(root)
      parts.append(Part(old: before.entries(withFirst: root), new: entries[start..<end]))
      start = end
    }
    for root in empty { parts.append(Part(old: before.entries(withFirst: root), new: [])) }
    replace(parts)
  }

  /// Returns the difference between the visible rows before and after the change. Visible rows are
  /// within the query's limit and offset.
  mutating func difference() -> ResultsDifference {
    let heldCount = after.entries.count
    after.trim()
    if keepsPlaces, after.entries.count == heldCount { return updates() }
    var difference = ResultsDifference()
    var reordered: [Reordered] = []
    for row in touched.values {
      let (old, new) = (row.old, row.new)
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

  /// Returns the difference for a change that leaves all rows at their places.
  private func updates() -> ResultsDifference {
    let range = after.range
    var difference = ResultsDifference()
    for row in touched.values where row.old?.fingerprint != row.new?.fingerprint {
      guard let place = row.place, range.contains(place) else { continue }
      difference.updated.append(place - range.lowerBound)
    }
    difference.updated.sort()
    return difference
  }

  /// Adds untouched rows that became visible or invisible because other rows changed.
  private func noteShifted(in difference: inout ResultsDifference) {
    let (old, new) = (before.range, after.range)
    guard old != 0..<before.entries.count || new != 0..<after.entries.count else { return }
    difference.inserted += after.shifted(from: before) { touched[$0] != nil }
    difference.removed += before.shifted(from: after) { touched[$0] != nil }
  }

  /// A row whose order values changed.
  private struct Reordered {
    let origin: Int
    let destination: Int
    let isUpdated: Bool
  }

  /// Divides the rows whose order values changed into moved and updated rows. A row is moved if its
  /// place among the other rows changed. Otherwise it is updated, if its content changed.
  private func separateMoves(
    _ reordered: [Reordered], in difference: inout ResultsDifference
  ) {
    guard !reordered.isEmpty else { return }
    let gone = (difference.removed + reordered.map(\.origin)).sorted()
    let come = (difference.inserted + reordered.map(\.destination)).sorted()
    var last = -1
    for row in reordered.sorted(by: { $0.origin < $1.origin }) {
      let (origin, destination) = (row.origin, row.destination)
      // The ranks are the numbers of rows before this row in the old and in the new result.
      // Inserted, removed and reordered rows are not counted.
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
  /// Returns the index of an entry among the visible rows, which are within the limit and offset.
  fileprivate func visibleIndex(of entry: ResultEntry) -> Int? {
    guard let index = index(of: entry), range.contains(index) else { return nil }
    return index - range.lowerBound
  }

  /// Returns the indices of the untouched rows that are visible here but not in the other window.
  /// Such rows are only at the two ends of the visible rows.
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
