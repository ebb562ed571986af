import TestRun
import Testing

@testable import SQLCore

/// The cache beside a plain array that does the same work the slow way.
@Suite("The statement cache against a plain list")
struct StatementCacheModelTests {
  /// The keys, with the most recently used one last.
  private struct Model {
    var keys: [[UInt8]] = []
    let maximum: Int
  }

  /// `hashBits` is the number of hash bits that are kept. With few bits, keys collide.
  @Test(
    "random operations agree with the list, also if many keys share a hash",
    arguments: [64, 5, 2, 0], [1, 3, 16])
  func random(hashBits: Int, maximum: Int) throws {
    try InvariantChecks.whileOn { try compareWithList(hashBits: hashBits, maximum: maximum) }
  }

  private func compareWithList(hashBits: Int, maximum: Int) throws {
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    let connection = try Connection()
    let core = connection.core
    var cache = StatementCache(maximumCount: maximum, maximumByteCount: .max)
    defer { cache.deallocate() }
    var model = Model(maximum: maximum)
    func hash(_ key: UnsafeRawBufferPointer) -> UInt64 {
      // Masks the high bits as well, so that equal low bits mean equal hashes.
      hashBits == 64 ? hashed(key) : hashed(key) & ((1 << UInt64(hashBits)) - 1)
    }
    for step in 0..<3_000 {
      let key: [UInt8] = [1, UInt8.random(in: 0..<40, using: &random)]
      let found = key.withUnsafeBytes { bytes in cache.find(bytes, hash: hash(bytes)) }
      let index = model.keys.firstIndex(of: key)
      guard (found != nil) == (index != nil),
        found.map({ $0.pointee.key.map(Array.init) }) ?? key == key
      else {
        Issue.record("step \(step): found \(found != nil), seed \(seed)")
        return
      }
      if let index {
        model.keys.append(model.keys.remove(at: index))
      } else {
        let statement = try made(key, by: core, hash: hash)
        let isKept = cache.insert(statement)
        #expect(isKept)
        statement.pointee.isInUse = false
        if model.keys.count == model.maximum { model.keys.removeFirst() }
        model.keys.append(key)
      }
      guard cache.count == model.keys.count else {
        Issue.record("step \(step): \(cache.count) and \(model.keys.count), seed \(seed)")
        return
      }
    }
    cache.destroyAll()
    #expect(cache.count == 0)
    #expect(cache.byteCount == 0)
  }

  /// A statement may have had several numbers, and two numbers may share a place. A lookup that
  /// finds something must find the statement of its number.
  @Test("random operations by number find the right statements", arguments: [1, 3, 16, 200])
  func numbers(maximum: Int) throws {
    try InvariantChecks.whileOn { try findByNumbers(maximum: maximum) }
  }

  private func findByNumbers(maximum: Int) throws {
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    let core = try Connection().core
    var cache = StatementCache(maximumCount: maximum, maximumByteCount: .max)
    defer { cache.deallocate() }
    var keys: [[UInt8]] = []
    var foundCount = 0
    for step in 0..<5_000 {
      let key: [UInt8] = [1, UInt8.random(in: 0..<UInt8(min(250, maximum * 3)), using: &random)]
      let numbers = (0..<3).map { Int(key[1]) &* 3 + $0 + ($0 == 2 ? 1 << 40 : 0) }
      let number = numbers[Int.random(in: 0..<3, using: &random)]
      var statement = cache.find(number: number)
      if let statement {
        foundCount += 1
        guard statement.pointee.key.map(Array.init) == key else {
          Issue.record("step \(step): the number of another, seed \(seed)")
          return
        }
      }
      statement = statement ?? key.withUnsafeBytes { cache.find($0, hash: hashed($0)) }
      let isKnown = keys.contains(key)
      guard (statement != nil) == isKnown else {
        Issue.record("step \(step): found \(statement != nil), seed \(seed)")
        return
      }
      if let statement {
        cache.number(statement, number)
        guard cache.find(number: number) == statement else {
          Issue.record("step \(step): not found by its number, seed \(seed)")
          return
        }
        keys.removeAll { $0 == key }
      } else {
        let made = try made(key, by: core, hash: hashed)
        let isKept = cache.insert(made)
        #expect(isKept)
        made.pointee.isInUse = false
        if keys.count == maximum { keys.removeFirst() }
      }
      keys.append(key)
    }
    #expect(foundCount > 0)
    cache.destroyAll()
    #expect(cache.count == 0)
  }

  @Test("statements in use stay in the cache, and inserted bytes are counted")
  func inUse() throws {
    let connection = try Connection()
    var cache = StatementCache(maximumCount: 2, maximumByteCount: .max)
    defer { cache.deallocate() }
    let statements = try (0..<3).map {
      try made([1, UInt8($0)], by: connection.core, hash: hashed)
    }
    var areKept = [cache.insert(statements[0]), cache.insert(statements[1])]
    #expect(cache.byteCount == statements[0].pointee.byteCount * 2)
    // Both are in use, so there is no room.
    areKept.append(cache.insert(statements[2]))
    statements[1].pointee.isInUse = false
    areKept.append(cache.insert(statements[2]))
    #expect(areKept == [true, true, false, true])
    #expect(cache.count == 2)
    let key: [UInt8] = [1, 0]
    #expect(key.withUnsafeBytes { cache.find($0, hash: hashed($0)) } == statements[0])
  }

  #if DEBUG
    @Test("a damaged cache is found")
    func damaged() throws {
      let core = try Connection().core
      let damages: [(StatementPointer, StatementPointer) -> Void] = [
        { first, _ in first.pointee.byteCount += 1 },
        { first, _ in first.pointee.hash ^= 1 },
        { first, _ in first.pointee.stamp = .max },
        { first, second in first.pointee.stamp = second.pointee.stamp },
        { first, _ in first.pointee.number = 7 },
        { first, _ in first.pointee.number = nil },
        { first, _ in
          first.pointee.key?.deallocate()
          first.pointee.key = nil
        },
      ]
      for (index, damage) in damages.enumerated() {
        var cache = StatementCache(maximumCount: 4, maximumByteCount: .max)
        defer { cache.deallocate() }
        let statements = try (0..<3).map { try made([1, UInt8($0)], by: core, hash: hashed) }
        for statement in statements { _ = cache.insert(statement) }
        cache.number(statements[0], 1_000)
        try cache.checkInvariants()
        damage(statements[0], statements[1])
        #expect(throws: BrokenInvariant.self, "damage \(index)") { try cache.checkInvariants() }
      }
    }
  #endif

  private func made(
    _ key: [UInt8], by core: ConnectionCore, hash: (UnsafeRawBufferPointer) -> UInt64
  ) throws -> StatementPointer {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: key.count, alignment: 1)
    copy.copyBytes(from: key)
    let bytes = UnsafeRawBufferPointer(copy)
    return StatementPointer.make(try core.compileOne("SELECT 1"), key: bytes, hash: hash(bytes))
  }
}

@Suite("Statement keys")
struct StatementKeyTests {
  @Test("a key grows with what is written to it, and can begin again")
  func growing() {
    var key = StatementKey()
    defer { key.deallocate() }
    key.begin(.shape)
    var expected: [UInt8] = [2]
    for number in 0..<2_000 {
      key.append(UInt8(truncatingIfNeeded: number))
      expected.append(UInt8(truncatingIfNeeded: number))
    }
    #expect(Array(key.bytes) == expected)
    key.begin(.text)
    key.append(unmeasured: String(repeating: "é", count: 10_000))
    #expect(Array(key.bytes) == [1] + Array(repeating: [0xC3, 0xA9], count: 10_000).joined())
    key.begin(.shape)
    key.append(UInt32(0x0403_0201))
    #expect(Array(key.bytes) == [2, 1, 2, 3, 4])
  }

  @Test("the boundary between two texts is part of the key")
  func texts() {
    func bytes(_ texts: String...) -> [UInt8] {
      var key = StatementKey()
      defer { key.deallocate() }
      key.begin(.shape)
      for text in texts { key.append(text: text) }
      return Array(key.bytes)
    }
    #expect(bytes("ab", "c") != bytes("a", "bc"))
    #expect(bytes("", "a") != bytes("a", ""))
  }

  @Test("the hash depends on every byte of a key and on its length")
  func hash() {
    var seen: [UInt64: [UInt8]] = [:]
    for length in 0...70 {
      let zeros = [UInt8](repeating: 0, count: length)
      var keys = [zeros]
      for position in 0..<length {
        var key = zeros
        key[position] = 1
        keys.append(key)
      }
      for key in keys {
        let hash = key.withUnsafeBytes { hashed($0) }
        #expect(hash == key.withUnsafeBytes { hashed($0) })
        if let other = seen.updateValue(key, forKey: hash) {
          Issue.record("\(key) and \(other) have one hash")
        }
      }
    }
  }
}

private let hashSeed = UInt64.random(in: .min ... .max)

/// Returns the hash of bytes, copied into memory with the padding that the hash reads over. The
/// padding is random each time.
private func hashed(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
  let padding = (0..<16).map { _ in UInt8.random(in: 0...255) }
  return (Array(bytes) + padding).withUnsafeBufferPointer { padded in
    padded.baseAddress.map { KeyHash.hash($0, count: bytes.count, seed: hashSeed) } ?? 0
  }
}

extension StatementCache {
  /// Adds a statement and destroys those that it evicts.
  fileprivate mutating func insert(_ statement: StatementPointer) -> Bool {
    var evicted: [StatementPointer] = []
    defer { for statement in evicted { statement.destroy() } }
    return insert(statement, evicting: &evicted)
  }

  /// Evicts and destroys every statement that is not in use.
  fileprivate mutating func destroyAll() {
    for statement in removeAll() { statement.destroy() }
  }
}
