#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The prepared statements that a connection keeps. Their number and their size in bytes are
/// limited. The least recently used statements are evicted first.
///
/// The cache is a hash table with open addressing. The hashes are stored apart from the statements,
/// and the bytes of a key are compared only if the hashes are equal. Each statement has a timestamp
/// of its last use. The timestamps are scanned only when a statement must be evicted.
///
/// The cache returns evicted statements to the caller, who destroys them only after the change to
/// the cache is complete. The reason is that finalising a statement may run code of a virtual
/// table, or of a function's auxiliary data.
struct StatementCache {
  private var slots: UnsafeMutablePointer<StatementPointer?>
  private var hashes: UnsafeMutablePointer<UInt64>
  private let mask: Int
  /// The statements that can also be found by a number, such as those of prepared queries. A hash
  /// of the number is the index. If two statements have the same index, only the later statement is
  /// found by its number.
  private var numbered: UnsafeMutablePointer<StatementPointer?>
  /// The size of `numbered` as a power of two: it has `1 << placeBits` elements.
  private var placeBits = 5
  private var clock: UInt64 = 0
  private(set) var count = 0
  private(set) var byteCount = 0
  private(set) var hits = 0
  private(set) var misses = 0
  let maximumCount: Int
  let maximumByteCount: Int

  init(maximumCount: Int, maximumByteCount: Int) {
    self.maximumCount = max(0, min(maximumCount, 1 << 20))
    self.maximumByteCount = max(0, maximumByteCount)
    // The table is never more than half full.
    var capacity = 16
    while capacity < self.maximumCount * 2 + 2 { capacity *= 2 }
    mask = capacity - 1
    slots = .allocate(capacity: capacity)
    slots.initialize(repeating: nil, count: capacity)
    hashes = .allocate(capacity: capacity)
    hashes.initialize(repeating: 0, count: capacity)
    numbered = Self.places(1 << placeBits)
  }

  /// Finalises every statement and frees the memory.
  func deallocate() {
    for index in 0...mask { slots[index]?.destroy() }
    slots.deallocate()
    hashes.deallocate()
    numbered.deallocate()
  }

  /// Returns the statement whose key is `key`, and marks it as just used. Returns nil if the cache
  /// has no such statement.
  ///
  /// The returned statement may be in use. In this case, the caller must prepare a second copy of
  /// it.
  mutating func find(_ key: UnsafeRawBufferPointer, hash: UInt64) -> StatementPointer? {
    guard let statement = lookUp(key, hash: hash) else {
      misses &+= 1
      return nil
    }
    hits &+= 1
    clock &+= 1
    statement.pointee.stamp = clock
    return statement
  }

  /// Returns whether the cache has a statement with that key. This counts neither as a hit nor as a
  /// miss.
  func holds(_ key: UnsafeRawBufferPointer, hash: UInt64) -> Bool {
    lookUp(key, hash: hash) != nil
  }

  @inline(__always)
  private func lookUp(_ key: UnsafeRawBufferPointer, hash: UInt64) -> StatementPointer? {
    var index = Int(truncatingIfNeeded: hash) & mask
    while let statement = slots[index] {
      if hashes[index] == hash, let own = statement.pointee.key, own.count == key.count,
        let left = own.baseAddress, let right = key.baseAddress,
        memcmp(left, right, key.count) == 0
      {
        return statement
      }
      index = (index &+ 1) & mask
    }
    return nil
  }

  private static func places(_ count: Int) -> UnsafeMutablePointer<StatementPointer?> {
    let places = UnsafeMutablePointer<StatementPointer?>.allocate(capacity: count)
    places.initialize(repeating: nil, count: count)
    return places
  }

  /// Returns the index in `numbered` for a number. The upper bits of a product spread consecutive
  /// numbers over the array.
  private func place(of number: Int) -> Int {
    let product = UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: product >> UInt64(truncatingIfNeeded: 64 &- placeBits))
  }

  /// Returns the idle statement with that number, and marks it as just used; nil if the cache has
  /// no such statement.
  @inline(__always)
  mutating func find(number: Int) -> StatementPointer? {
    guard let statement = numbered[place(of: number)], statement.pointee.number == number,
      !statement.pointee.isInUse
    else { return nil }
    hits &+= 1
    clock &+= 1
    statement.pointee.stamp = clock
    return statement
  }

  /// Lets the cache find a statement by a number, until the statement is evicted or another
  /// statement takes its place in `numbered`.
  mutating func number(_ statement: StatementPointer, _ number: Int) {
    guard statement.pointee.key != nil else { return }
    forgetNumber(of: statement)
    // `numbered` grows to at most 4,096 elements, which take 32 KiB.
    while numbered[place(of: number)] != nil, placeBits < 12 { doublePlaces() }
    let place = place(of: number)
    numbered[place]?.pointee.number = nil
    numbered[place] = statement
    statement.pointee.number = number
    didChange()
  }

  private mutating func doublePlaces() {
    let (smaller, count) = (numbered, 1 << placeBits)
    placeBits += 1
    numbered = Self.places(count * 2)
    for index in 0..<count {
      guard let statement = smaller[index], let number = statement.pointee.number else { continue }
      numbered[place(of: number)] = statement
    }
    smaller.deallocate()
  }

  private func forgetNumber(of statement: StatementPointer) {
    guard let number = statement.pointee.number else { return }
    numbered[place(of: number)] = nil
    statement.pointee.number = nil
  }

  /// Turns the last hit into a miss, because the statement was in use and a copy had to be
  /// prepared.
  mutating func countAsMiss() {
    hits &-= 1
    misses &+= 1
  }

  /// Adds a statement, after making room for it by evictions. Returns false if there is no room.
  mutating func insert(
    _ statement: StatementPointer, evicting evicted: inout [StatementPointer]
  ) -> Bool {
    let needed = statement.pointee.byteCount
    guard needed <= maximumByteCount else { return false }
    while count >= maximumCount || byteCount + needed > maximumByteCount {
      guard let oldest = evictOldest() else { return false }
      evicted.append(oldest)
    }
    clock &+= 1
    statement.pointee.stamp = clock
    place(statement)
    count += 1
    byteCount += needed
    didChange()
    return true
  }

  private func place(_ statement: StatementPointer) {
    var index = Int(truncatingIfNeeded: statement.pointee.hash) & mask
    while slots[index] != nil { index = (index &+ 1) & mask }
    slots[index] = statement
    hashes[index] = statement.pointee.hash
  }

  /// Evicts and returns the least recently used statement that is not in use; returns nil if all
  /// are in use.
  private mutating func evictOldest() -> StatementPointer? {
    var oldest: Int?
    for index in 0...mask {
      guard let statement = slots[index], !statement.pointee.isInUse else { continue }
      if let known = oldest, let other = slots[known],
        other.pointee.stamp <= statement.pointee.stamp
      {
        continue
      }
      oldest = index
    }
    guard let oldest, let statement = slots[oldest] else { return nil }
    remove(at: oldest)
    count -= 1
    byteCount -= statement.pointee.byteCount
    forgetNumber(of: statement)
    return statement
  }

  /// Empties a slot. Then moves later statements back towards their own slots, so that `find` still
  /// reaches them.
  private func remove(at hole: Int) {
    var hole = hole
    var index = (hole &+ 1) & mask
    slots[hole] = nil
    while let statement = slots[index] {
      let home = Int(truncatingIfNeeded: hashes[index]) & mask
      if (index &- home) & mask >= (index &- hole) & mask {
        slots[hole] = statement
        hashes[hole] = hashes[index]
        slots[index] = nil
        hole = index
      }
      index = (index &+ 1) & mask
    }
  }

  /// Evicts and returns every statement that is not in use.
  mutating func removeAll() -> [StatementPointer] {
    var evicted: [StatementPointer] = []
    while let oldest = evictOldest() { evicted.append(oldest) }
    didChange()
    return evicted
  }

  // MARK: Invariants

  @inline(__always)
  private func didChange() {
    #if DEBUG
      InvariantChecks.run { try checkInvariants() }
    #endif
  }

  #if DEBUG
    /// Throws unless each statement is found by its key and by its number, and the counts are
    /// right.
    func checkInvariants() throws {
      let statements = (0...mask).compactMap { slots[$0] }
      try InvariantChecks.require(
        statements.count == count && count <= maximumCount, "the cache's count is wrong")
      try InvariantChecks.require(
        statements.reduce(0) { $0 + $1.pointee.byteCount } == byteCount
          && byteCount <= maximumByteCount, "the cache's number of bytes is wrong")
      try InvariantChecks.require(
        Set(statements.map(\.pointee.stamp)).count == count
          && statements.allSatisfy { $0.pointee.stamp <= clock },
        "two cached statements have one time of use, or one has a time to come")
      for statement in statements {
        let key = statement.pointee.key
        try InvariantChecks.require(
          key.flatMap { lookUp($0, hash: statement.pointee.hash) } == statement,
          "a cached statement is not found by its key")
        try InvariantChecks.require(
          statement.pointee.number.map { numbered[place(of: $0)] == statement } ?? true,
          "a cached statement is not found by its number")
      }
      for place in 0..<1 << placeBits {
        guard let statement = numbered[place] else { continue }
        try InvariantChecks.require(
          statements.contains(statement)
            && statement.pointee.number.map(place(of:)) == place,
          "a number stands for a statement that is not cached, or has another number")
      }
    }
  #endif
}
