import Foundation
import SQLCore
import TestRun
import Testing

@testable import ChangeObservation

@Suite("The bytes in which row values are recorded")
struct RecordedValuesTests {
  private func drawValue(_ random: inout SeededGenerator) -> DatabaseValue {
    let length = Int.random(in: 0..<40, using: &random)
    return switch Int.random(in: 0..<5, using: &random) {
    case 0: .null
    case 1: .integer(Int64.random(in: .min ... .max, using: &random))
    case 2: .real(Double.random(in: -1e9...1e9, using: &random))
    case 3: .text(String(repeating: "é", count: length))
    default: .blob(Data(repeating: UInt8(length), count: length))
    }
  }

  @Test(
    "states hold what was stored in them, whatever is cut off after them", arguments: [0, 1, 7])
  func likeAnArray(valueCount: Int) throws {
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    let values = RecordedValues(encoding: .utf8)
    var expected: [(state: Int, values: [DatabaseValue])] = []
    for step in 0..<2_000 {
      if Int.random(in: 0..<20, using: &random) == 0 {
        let kept = Int.random(in: 0...expected.count, using: &random)
        if kept < expected.count { values.truncate(to: expected[kept].state) }
        expected.removeSubrange(kept...)
      } else {
        let row = (0..<valueCount).map { _ in drawValue(&random) }
        let state = try #require(values.reserve(of: valueCount))
        #expect(values.fill(state, with: row))
        expected.append((state, row))
      }
      #if DEBUG
        try values.checkInvariants()
        for row in expected.suffix(3) {
          try values.checkInvariants(of: row.state, valueCount: valueCount)
        }
      #endif
      guard let (state, row) = expected.randomElement(using: &random) else { continue }
      let found = values.values(of: state, count: valueCount)
      #expect(found == row, "seed \(seed), step \(step)")
    }
  }

  #if DEBUG
    @Test("a damaged kind, length or offset is found")
    func damaged() throws {
      func made() throws -> (values: RecordedValues, bytes: UnsafeMutableRawPointer, state: Int) {
        let values = RecordedValues(encoding: .utf8)
        let state = try #require(values.reserve(of: 2))
        #expect(values.fill(state, with: [.integer(1), .text("text")]))
        try values.checkInvariants(of: state, valueCount: 2)
        return (values, try #require(values.bytes), state)
      }
      var (values, bytes, state) = try made()
      bytes.storeBytes(of: 9, toByteOffset: state, as: UInt8.self)
      #expect(throws: BrokenInvariant.self) {
        try values.checkInvariants(of: state, valueCount: 2)
      }
      for (offset, length) in [(0, 4), (18, 5), (UInt32(1) << 31, 0)] as [(UInt32, UInt32)] {
        (values, bytes, state) = try made()
        // The second of two slots of eight bytes, after two bytes for the kinds.
        bytes.storeBytes(of: offset, toByteOffset: state + 10, as: UInt32.self)
        bytes.storeBytes(of: length, toByteOffset: state + 14, as: UInt32.self)
        #expect(throws: BrokenInvariant.self, "offset \(offset), length \(length)") {
          try values.checkInvariants(of: state, valueCount: 2)
        }
      }
      (values, _, state) = try made()
      values.truncate(to: state + 5)
      #expect(throws: BrokenInvariant.self) {
        try values.checkInvariants(of: state, valueCount: 2)
      }
    }

    @Test("while the checks are on, each change is checked, and otherwise none")
    func switched() {
      let values = RecordedValues(encoding: .utf8)
      let count = InvariantChecks.whileOn {
        let count = InvariantChecks.runCount
        _ = values.reserve(of: 1_000)
        values.truncate(to: 0)
        return InvariantChecks.runCount - count
      }
      #expect(count >= 2)
    }

    @Test("a change that breaks an invariant ends the process")
    func ending() async {
      await #expect(processExitsWith: .failure) {
        let values = RecordedValues(encoding: .utf8)
        InvariantChecks.whileOn { values.truncate(to: -1) }
      }
    }
  #endif
}
