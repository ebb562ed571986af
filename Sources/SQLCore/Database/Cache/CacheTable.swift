/// A hash table of cached values, with a maximum number of rows and of bytes.
///
/// The table uses open addressing with linear probing, and evicts entries by the clock algorithm.
/// If the table is full, the index `hand` moves through the places like the hand of a clock. The
/// first entry that was not read since `hand` last passed it is removed.
///
/// `@unchecked Sendable`: it is used only under the lock of its `DatabaseCache`.
final class CacheTable: @unchecked Sendable {
  /// A place (slot) of the hash table. It holds one entry or is empty. Its references are
  /// unmanaged, so that a search does not change reference counts. The table retains each entry
  /// that it stores, and releases the entry when it is removed.
  ///
  /// A search that finds an entry reads only the 32 bytes of its place, and the value. Reading the
  /// `CacheEntry` as well could miss the processor's cache and double the time of the search.
  private struct Place: BitwiseCopyable {
    /// The key of the entry if the key has 8 bytes. Otherwise the hash of the key, which the entry
    /// itself stores.
    var tag: UInt64 = 0
    /// The entry; nil if the place is empty.
    var entry: Unmanaged<CacheEntry>?
    /// The value of the entry. The entry retains it.
    var value: Unmanaged<AnyObject>?
    /// Whether the key has 8 bytes.
    var hasWord = false
    /// Whether the entry was read since the clock's `hand` last passed it.
    var isUsed = false

    /// Makes an empty place.
    init() {}

    /// Makes a place that holds the entry, and retains the entry.
    init(of entry: CacheEntry, for key: CacheKey, hash: UInt64) {
      self.entry = .passRetained(entry)
      value = .passUnretained(entry.value)
      if case .word(let word) = key { (tag, hasWord) = (word, true) } else { tag = hash }
    }
  }

  let limits: CacheLimits
  private var places: UnsafeMutablePointer<Place>
  /// The number of places minus one. The number of places is a power of two.
  private var mask: Int
  private(set) var count = 0
  /// The number of rows of all entries.
  private(set) var rowCount = 0
  private(set) var byteCount = 0
  /// The index of the place that `evict()` examined last.
  private var hand = 0
  /// For the rowid of each cached row, the hash of the row's key. The table finds the entry of the
  /// row by this hash.
  private var hashes: [Int64: UInt64] = [:]
  /// The entries whose results were read from a table, for each table of the database. Each entry
  /// is stored with the hash of its key, by which the entry is found.
  private var readers: [String: [ObjectIdentifier: UInt64]] = [:]
  private var seed = UInt64.random(in: .min ... .max)

  init(_ limits: CacheLimits) {
    self.limits = limits
    mask = 15
    places = Self.emptyPlaces(16)
  }

  deinit {
    for place in 0...mask { places[place].entry?.release() }
    places.deallocate()
  }

  private static func emptyPlaces(_ count: Int) -> UnsafeMutablePointer<Place> {
    let places = UnsafeMutablePointer<Place>.allocate(capacity: count)
    places.initialize(repeating: Place(), count: count)
    return places
  }

  // MARK: Reading

  /// Returns the entry that has the key, and marks the entry as read.
  func entry(of key: CacheKey) -> CacheEntry? {
    guard let place = place(of: key, hash: hash(of: key)) else { return nil }
    places[place].isUsed = true
    return places[place].entry?.takeUnretainedValue()
  }

  /// Calls a closure with the value for a key of 8 bytes, and marks the entry as read. The value is
  /// not retained for the call. Returns false if there is no such entry.
  @inline(__always)
  func read(_ word: UInt64, _ body: (AnyObject) -> Void) -> Bool {
    let (places, mask) = (places, mask)
    var place = Int(truncatingIfNeeded: hash(of: word)) & mask
    while let value = places[place].value {
      if places[place].tag == word, places[place].hasWord {
        if !places[place].isUsed { places[place].isUsed = true }
        value._withUnsafeGuaranteedRef(body)
        return true
      }
      place = (place + 1) & mask
    }
    return false
  }

  /// Calls a closure with each entry.
  func forEach(_ body: (CacheEntry) -> Void) {
    for place in 0...mask {
      if let entry = places[place].entry { body(entry.takeUnretainedValue()) }
    }
  }

  // MARK: Changing

  /// Stores an entry, unless it alone exceeds the limits. Removes earlier entries with the same key
  /// or rowid. Returns the removed entries, and the number of entries that were removed because the
  /// table was full. The caller must release the removed entries only after it has released the
  /// lock.
  func insert(_ entry: CacheEntry, for key: CacheKey) -> (removed: [CacheEntry], evicted: Int) {
    var removed: [CacheEntry] = []
    let hash = hash(of: key)
    if let place = place(of: key, hash: hash), let earlier = places[place].entry {
      removed.append(remove(earlier, at: place))
    }
    if let row = entry.rowID, let earlier = removeRow(row) { removed.append(earlier) }
    guard entry.rowCount <= limits.rows, entry.byteCount <= limits.bytes else {
      return (removed, 0)
    }
    var evicted = 0
    while rowCount > limits.rows - entry.rowCount || byteCount > limits.bytes - entry.byteCount {
      removed.append(evict())
      evicted += 1
    }
    // At most three quarters of the places are taken, so that a search ends soon.
    if (count + 1) * 4 > (mask + 1) * 3 { grow() }
    put(Place(of: entry, for: key, hash: hash))
    count += 1
    rowCount += entry.rowCount
    byteCount += entry.byteCount
    if let row = entry.rowID { hashes[row] = hash }
    for table in entry.tables { readers[table, default: [:]][ObjectIdentifier(entry)] = hash }
    didChange()
    return (removed, evicted)
  }

  /// Removes the entry of the row with this rowid, and returns it.
  func removeRow(_ rowID: Int64) -> CacheEntry? {
    guard let hash = hashes[rowID] else { return nil }
    var place = Int(truncatingIfNeeded: hash) & mask
    while let entry = places[place].entry {
      if self.hash(of: places[place]) == hash, entry._withUnsafeGuaranteedRef({ $0.rowID == rowID })
      {
        return remove(entry, at: place)
      }
      place = (place + 1) & mask
    }
    return nil
  }

  /// Removes the entries with results that were read from a database table, and returns them.
  func removeReaders(of table: String) -> [CacheEntry] {
    guard let known = readers[table] else { return [] }
    var removed: [CacheEntry] = []
    for (reader, hash) in known {
      var place = Int(truncatingIfNeeded: hash) & mask
      while let entry = places[place].entry {
        if entry._withUnsafeGuaranteedRef({ ObjectIdentifier($0) == reader }) {
          removed.append(remove(entry, at: place))
          break
        }
        place = (place + 1) & mask
      }
    }
    return removed
  }

  /// Removes the entries of rows whose rowids are not known, and returns them.
  func removeUnnumbered() -> [CacheEntry] {
    hashes.count == count ? [] : removeAll { $0.rowID == nil }
  }

  /// Removes the entries that a closure selects, and returns them.
  func removeAll(where isRemoved: (CacheEntry) -> Bool) -> [CacheEntry] {
    var removed: [CacheEntry] = []
    var place = 0
    while place <= mask {
      // After a removal, the same place is examined again, because another entry may have moved to
      // it.
      if let entry = places[place].entry, isRemoved(entry.takeUnretainedValue()) {
        removed.append(remove(entry, at: place))
      } else {
        place += 1
      }
    }
    return removed
  }

  /// Removes the first entry that was not read since `hand` last passed it, and returns the entry.
  private func evict() -> CacheEntry {
    while true {
      hand = (hand + 1) & mask
      guard let entry = places[hand].entry else { continue }
      guard places[hand].isUsed else { return remove(entry, at: hand) }
      places[hand].isUsed = false
    }
  }

  /// Removes all entries. Returns a new `CacheTable` with the removed entries.
  func takeAll() -> CacheTable {
    let other = CacheTable(limits)
    (places, other.places) = (other.places, places)
    (mask, other.mask) = (other.mask, mask)
    (count, other.count) = (other.count, count)
    (rowCount, other.rowCount) = (other.rowCount, rowCount)
    (byteCount, other.byteCount) = (other.byteCount, byteCount)
    (hand, other.hand) = (other.hand, hand)
    (seed, other.seed) = (other.seed, seed)
    (hashes, other.hashes) = (other.hashes, hashes)
    (readers, other.readers) = (other.readers, readers)
    return other
  }

  /// Removes the entry at a place, and returns it.
  private func remove(_ reference: Unmanaged<CacheEntry>, at place: Int) -> CacheEntry {
    let entry = reference.takeRetainedValue()
    places[place] = Place()
    count -= 1
    rowCount -= entry.rowCount
    byteCount -= entry.byteCount
    if let row = entry.rowID { hashes[row] = nil }
    for table in entry.tables {
      readers[table]?[ObjectIdentifier(entry)] = nil
      if readers[table]?.isEmpty == true { readers[table] = nil }
    }
    closeGap(at: place)
    didChange()
    return entry
  }

  /// Moves later entries into a place that has become empty, so that a search never meets an empty
  /// place before it finds its entry.
  private func closeGap(at empty: Int) {
    var gap = empty
    var place = (empty + 1) & mask
    while places[place].entry != nil {
      let home = Int(truncatingIfNeeded: hash(of: places[place])) & mask
      // A search for the entry begins at `home` and ends at `place`. If the gap lies between them,
      // the search would stop there, so the entry moves into the gap.
      if (place &- home) & mask >= (place &- gap) & mask {
        places[gap] = places[place]
        places[place] = Place()
        gap = place
      }
      place = (place + 1) & mask
    }
  }

  private func grow() {
    let (old, oldMask) = (places, mask)
    mask = mask * 2 + 1
    hand = 0
    places = Self.emptyPlaces(mask + 1)
    for place in 0...oldMask where old[place].entry != nil { put(old[place]) }
    old.deallocate()
  }

  private func put(_ new: Place) {
    var place = Int(truncatingIfNeeded: hash(of: new)) & mask
    while places[place].entry != nil { place = (place + 1) & mask }
    places[place] = new
  }

  // MARK: Finding

  @inline(__always)
  private func place(of key: CacheKey, hash: UInt64) -> Int? {
    var place = Int(truncatingIfNeeded: hash) & mask
    while let entry = places[place].entry {
      if case .word(let word) = key {
        if places[place].hasWord, places[place].tag == word { return place }
      } else if !places[place].hasWord, places[place].tag == hash,
        entry._withUnsafeGuaranteedRef({ $0.hasKey(key) })
      {
        return place
      }
      place = (place + 1) & mask
    }
    return nil
  }

  @inline(__always)
  private func hash(of key: CacheKey) -> UInt64 {
    if case .word(let word) = key { return hash(of: word) }
    return key.withBytes { KeyHash.hash(unpadded: $0, seed: seed) }
  }

  @inline(__always)
  private func hash(of place: Place) -> UInt64 {
    place.hasWord ? hash(of: place.tag) : place.tag
  }

  @inline(__always)
  private func hash(of word: UInt64) -> UInt64 {
    KeyHash.mix(word ^ seed, 0x9E37_79B9_7F4A_7C15)
  }
}

extension CacheTable {
  @inline(__always)
  private func didChange() {
    #if DEBUG
      InvariantChecks.run { try checkInvariants() }
    #endif
  }

  #if DEBUG
    /// Throws unless each entry is found by its key, rowid and tables, and the counts are right.
    func checkInvariants() throws {
      var (found, bytes, rows, rowTotal) = (0, 0, 0, 0)
      for place in 0...mask {
        guard let entry = places[place].entry?.takeUnretainedValue() else { continue }
        let hash = hash(of: places[place])
        found += 1
        bytes += entry.byteCount
        rowTotal += entry.rowCount
        for table in entry.tables {
          try InvariantChecks.require(
            readers[table]?[ObjectIdentifier(entry)] == hash,
            "an entry is not found by its table \(table)")
        }
        var search = Int(truncatingIfNeeded: hash) & mask
        while search != place {
          try InvariantChecks.require(
            places[search].entry != nil, "a search ends before place \(place)")
          search = (search + 1) & mask
        }
        guard let row = entry.rowID else { continue }
        rows += 1
        try InvariantChecks.require(
          hashes[row] == hash, "the row \(row) is not found by its number")
      }
      try InvariantChecks.require(
        found == count && bytes == byteCount && rows == hashes.count && rowTotal == rowCount,
        "\(found) entries of \(bytes) bytes, counted \(count) of \(byteCount); \(hashes.count) rows"
      )
      try InvariantChecks.require(
        rowCount <= limits.rows && byteCount <= limits.bytes, "the table is over its limits")
    }
  #endif
}
