import TestRun
import Testing

@testable import SQLCore

/// The table is compared with a dictionary. In a debug build it also checks itself after each
/// change.
@Suite("The table of a cache")
struct CacheTableTests {
  private final class Value: CachedValue {
    let number: Int
    init(_ number: Int) { self.number = number }
  }

  private struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ (state >> 29)
    }
  }

  private func key(_ number: Int, _ random: inout Generator) -> CacheKey {
    switch number % 3 {
    case 0: .word(UInt64(number))
    case 1: .text("key \(number)")
    default: .bytes([UInt8](repeating: 7, count: number % 40) + [UInt8(number % 251)])
    }
  }

  @Test("it finds the value that was inserted last, and no value that was removed")
  func model() {
    InvariantChecks.whileOn { compareWithDictionary() }
  }

  private func compareWithDictionary() {
    var random = Generator(state: TestSeed.draw())
    let table = CacheTable(CacheLimits(rows: .max, bytes: .max))
    var expected: [Int: (value: Int, row: Int64?)] = [:]
    for step in 0..<TestSize.count(small: 3_000, full: 30_000) {
      let number = Int.random(in: 0..<200, using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0...4:
        let row: Int64? = number % 5 == 0 ? nil : Int64.random(in: 0..<150, using: &random)
        let entry = CacheEntry(
          Value(step), for: key(number, &random), byteCount: step % 90, rowID: row)
        _ = table.insert(entry, for: key(number, &random))
        if let row { expected = expected.filter { $0.value.row != row } }
        expected[number] = (step, row)
      case 5...6:
        let row = Int64.random(in: 0..<150, using: &random)
        let removed = table.removeRow(row)
        let known = expected.first { $0.value.row == row }
        #expect((removed?.value as? Value)?.number == known?.value.value)
        if let known { expected[known.key] = nil }
      case 7 where step % 50 == 0:
        #expect(table.removeUnnumbered().count == expected.values.filter { $0.row == nil }.count)
        expected = expected.filter { $0.value.row != nil }
      default:
        let found = table.entry(of: key(number, &random))?.value as? Value
        #expect(found?.number == expected[number]?.value)
        // The short way finds the keys of 8 bytes, and no others.
        var read: Int?
        let isFound = table.read(UInt64(number)) { read = ($0 as? Value)?.number }
        #expect(read == (number % 3 == 0 ? expected[number]?.value : nil))
        #expect(isFound == (read != nil))
      }
      #expect(table.count == expected.count)
    }
    for number in 0..<200 {
      let found = table.entry(of: key(number, &random))?.value as? Value
      #expect(found?.number == expected[number]?.value)
    }
    let taken = table.takeAll()
    #expect(taken.count == expected.count && table.count == 0)
    for number in 0..<200 {
      #expect(table.entry(of: key(number, &random)) == nil)
      let found = taken.entry(of: key(number, &random))?.value as? Value
      #expect(found?.number == expected[number]?.value)
    }
    #expect(taken.removeAll { _ in true }.count == expected.count)
    #expect(table.count == 0 && table.byteCount == 0)
  }

  @Test("it keeps within its bounds, and removes first what was not read lately")
  func bounds() {
    InvariantChecks.whileOn { fill() }
  }

  private func fill() {
    let table = CacheTable(CacheLimits(rows: 50, bytes: 3_000))
    var evictions = 0
    for number in 0..<2_000 {
      let key = CacheKey.word(UInt64(number))
      let entry = CacheEntry(
        Value(number), for: key, byteCount: 40 + number % 30, rowID: Int64(number))
      evictions += table.insert(entry, for: key).evicted
      #expect(table.count <= 50 && table.byteCount <= 3_000)
      // The first entry is read all the time.
      #expect(table.entry(of: .word(0)) != nil)
    }
    #expect(evictions == 2_000 - table.count)
    let large = CacheEntry(Value(1), for: .word(9_999), byteCount: 3_001)
    #expect(table.insert(large, for: .word(9_999)).evicted == 0)
    #expect(table.entry(of: .word(9_999)) == nil)
  }
}
