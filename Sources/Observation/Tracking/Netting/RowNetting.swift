import SQLCore

/// Nets the changes of one table: of all changes of a row, it keeps the first old state and the
/// last new state.
struct RowNetting {
  private let values: RecordedValues
  private let valueCount: Int
  private let keyCount: Int?
  private var changes: [NettedRow] = []
  /// A hash table with linear probing, from keys to changes. A slot has the index of a change plus
  /// 1, or 0 if it is free. There are more slots than changes.
  private var slots: [Int32] = []
  /// The indices of the changes whose new values the hook did not report.
  private var unknown: Set<Int> = []
  /// The indices of the changes that come from a changed key: the deletion of the former key, and
  /// the insertion of the new key.
  private var rekeyed: Set<Int> = []
  /// A random factor for the hash, so that an attacker cannot choose keys that collide.
  private static let seed = UInt64.random(in: .min ... .max) | 1

  init(of table: TrackedTable, in values: RecordedValues) {
    self.values = values
    valueCount = table.recorded.count
    keyCount = table.names.keyCount
  }

  mutating func reserve(_ count: Int) {
    guard count > Self.unhashedCount else { return }
    changes.reserveCapacity(count)
    makeSlots(for: count)
  }

  mutating func add(_ rows: ArraySlice<RecordedRow>) {
    rows.withUnsafeBufferPointer { rows in
      for row in rows { add(row) }
    }
  }

  @inline(__always)
  mutating func add(_ row: RecordedRow) {
    // If the key of a row changed, this counts as two changes: the old row is deleted and the new
    // row is inserted.
    if row.isUnknown {
      unknown.insert(touch(row.oldKey, old: row.old, new: row.old))
    } else if row.old >= 0, row.new < 0 || row.oldKey != row.newKey {
      let index = touch(row.oldKey, old: row.old, new: -1)
      guard row.new >= 0 else { return }
      rekeyed.insert(index)
      rekeyed.insert(touch(row.newKey, old: -1, new: row.new))
    } else {
      touch(row.newKey, old: row.old, new: row.new)
    }
  }

  @discardableResult
  @inline(__always)
  private mutating func touch(_ key: Int64, old: Int, new: Int) -> Int {
    if let index = find(key) {
      changes[index].new = new
      if !unknown.isEmpty { unknown.remove(index) }
      return index
    }
    changes.append(NettedRow(key: key, old: old, new: new))
    return changes.count - 1
  }

  // MARK: Finding

  /// The least number of changes for which the hash table is used. With fewer changes, a key is
  /// found by a linear search.
  private static let unhashedCount = 8

  /// Returns the index of the change with the given key. If no change has the key, returns nil, and
  /// enters the key into the hash table for the change that the caller then appends.
  @inline(__always)
  private mutating func find(_ key: Int64) -> Int? {
    guard changes.count >= Self.unhashedCount || !slots.isEmpty else {
      return changes.firstIndex { isSame($0.key, key) }
    }
    if slots.count < 2 * (changes.count + 1) { makeSlots(for: 2 * changes.count) }
    let mask = slots.count - 1
    var slot = hash(key) & mask
    while true {
      let found = slots[slot]
      guard found > 0 else { break }
      if isSame(changes[Int(found) - 1].key, key) { return Int(found) - 1 }
      slot = (slot + 1) & mask
    }
    slots[slot] = Int32(truncatingIfNeeded: changes.count + 1)
    return nil
  }

  private mutating func makeSlots(for count: Int) {
    var size = 32
    while size < 2 * (count + 1) { size *= 2 }
    slots = Array(repeating: 0, count: size)
    for (index, change) in changes.enumerated() {
      var slot = hash(change.key) & (size - 1)
      while slots[slot] > 0 { slot = (slot + 1) & (size - 1) }
      slots[slot] = Int32(truncatingIfNeeded: index + 1)
    }
  }

  @inline(__always)
  private func isSame(_ first: Int64, _ second: Int64) -> Bool {
    guard first != second else { return true }
    guard let keyCount else { return false }
    return values.isSame(Int(first), Int(second), count: keyCount + 1)
  }

  @inline(__always)
  private func hash(_ key: Int64) -> Int {
    var number = UInt64(bitPattern: key)
    if let keyCount {
      var hasher = Hasher()
      values.hash(Int(key), count: keyCount + 1, into: &hasher)
      number = UInt64(bitPattern: Int64(hasher.finalize()))
    }
    let product = number.multipliedFullWidth(by: Self.seed)
    return Int(truncatingIfNeeded: product.high ^ product.low)
  }

  // MARK: The result

  /// Calls the closure to read the new values that the hook did not report.
  mutating func complete(_ read: (RowKey) throws -> [DatabaseValue]?) rethrows {
    for index in unknown {
      changes[index].new = -1
      guard let found = try read(key(of: changes[index])) else { continue }
      guard let state = values.reserve(of: valueCount), values.fill(state, with: found) else {
        continue
      }
      changes[index].new = state
    }
    unknown = []
    didComplete()
  }

  func key(of row: NettedRow) -> RowKey { values.key(row.key, keyCount: keyCount) }

  /// The rows whose new state differs from their old state, in the order in which they were first
  /// changed.
  var rows: [NettedRow] {
    // Usually all rows differ.
    guard changes.contains(where: isEmpty) else { return changes }
    return changes.filter { !isEmpty($0) }
  }

  /// The former and the new key of each row whose key an UPDATE changed.
  var rekeyedKeys: Set<RowKey> { Set(rekeyed.map { key(of: changes[$0]) }) }

  private func isEmpty(_ row: NettedRow) -> Bool {
    guard row.old >= 0, row.new >= 0 else { return row.old == row.new }
    return values.isSame(row.old, row.new, count: valueCount)
  }

  // MARK: Invariants

  @inline(__always)
  private func didComplete() {
    #if DEBUG
      InvariantChecks.run { try checkInvariants() }
    #endif
  }

  #if DEBUG
    /// Throws if a change is not found by its own key.
    func checkInvariants() throws {
      let used = slots.filter { $0 > 0 }
      try InvariantChecks.require(
        used.isEmpty || Set(used).count == used.count && used.count == changes.count,
        "the slots do not hold each change once")
      for (index, change) in changes.enumerated() {
        var copy = self
        try InvariantChecks.require(
          copy.find(change.key) == index, "a change is not found by its key")
      }
    }
  #endif
}
