import SQLCore

/// Applies to a held result the rows that a commit touched, and tells the difference: at a cost
/// that depends on those rows, and not on how many are held.
struct ResultChange: Sendable {
  private let before: ResultWindow
  private(set) var after: ResultWindow
  /// The rows that were touched, as they were and as they are.
  private var touched: [RowKey: (old: ResultEntry?, new: ResultEntry?)] = [:]

  init(of window: ResultWindow) {
    before = window
    after = window
  }

  /// The row with a key is now this one, or none that the query gives.
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

  /// The difference of what the query's limit and offset let through.
  mutating func difference() -> ResultsDifference {
    after.trim()
    var difference = ResultsDifference()
    var reordered: [(origin: Int, destination: Int)] = []
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
          reordered.append((origin, destination))
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

  /// The rows that nobody touched and that came into the limit, or left it, because others did.
  private func noteShifted(in difference: inout ResultsDifference) {
    let (old, new) = (before.range, after.range)
    guard old != 0..<before.entries.count || new != 0..<after.entries.count else { return }
    difference.inserted += after.shifted(from: before) { touched[$0] != nil }
    difference.removed += before.shifted(from: after) { touched[$0] != nil }
  }

  /// Of the rows whose order changed, those that stand elsewhere among the others moved.
  private func separateMoves(
    _ reordered: [(origin: Int, destination: Int)], in difference: inout ResultsDifference
  ) {
    guard !reordered.isEmpty else { return }
    let gone = (difference.removed + reordered.map(\.origin)).sorted()
    let come = (difference.inserted + reordered.map(\.destination)).sorted()
    var last = -1
    for (origin, destination) in reordered.sorted(by: { $0.origin < $1.origin }) {
      // How many rows stand before it that neither came, went nor were reordered.
      let rank = origin - gone.countBelow(origin)
      if rank == destination - come.countBelow(destination), destination > last {
        last = destination
        difference.updated.append(destination)
      } else {
        difference.moved.append(.init(origin: origin, destination: destination))
      }
    }
    difference.moved.sort { $0.destination < $1.destination }
  }
}

extension ResultWindow {
  /// The index of an entry among the rows that the limit and offset let through.
  fileprivate func visibleIndex(of entry: ResultEntry) -> Int? {
    guard let index = index(of: entry), range.contains(index) else { return nil }
    return index - range.lowerBound
  }

  /// The rows let through here and not there, among those that were not touched; they stand at the
  /// ends.
  fileprivate func shifted(
    from other: ResultWindow, isTouched: (RowKey) -> Bool
  ) -> [Int] {
    var found: Set<Int> = []
    func look(at index: Int) -> Bool {
      let entry = entries[index]
      guard !isTouched(entry.key) else { return true }
      guard other.visibleIndex(of: entry) == nil else { return false }
      found.insert(index - range.lowerBound)
      return true
    }
    for index in range where !look(at: index) { break }
    for index in range.reversed() where !look(at: index) { break }
    return Array(found)
  }
}

extension [Int] {
  /// How many of the sorted elements are less.
  fileprivate func countBelow(_ value: Int) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
