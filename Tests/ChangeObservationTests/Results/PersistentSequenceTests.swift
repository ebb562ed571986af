import TestRun
import Testing

@testable import ChangeObservation

@Suite("The tree that holds a result")
struct PersistentSequenceTests {
  private func array(_ sequence: PersistentSequence<Int>) -> [Int] {
    var elements: [Int] = []
    while elements.count < sequence.count {
      elements += sequence.leaf(around: elements.count).elements
    }
    return elements
  }

  @Test("the tree holds what an array holds, and its older versions stay unchanged")
  func likeAnArray() {
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    for size in [0, 1, 31, 33, 1_000, 40_000] {
      var expected = Array(0..<size)
      var sequence = PersistentSequence(expected)
      var versions: [(PersistentSequence<Int>, [Int])] = []
      for step in 0..<400 {
        // Most of a large sequence is removed and inserted again.
        let isGrowing = step % 200 < 100
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<2 where !expected.isEmpty:
          let index = Int.random(in: expected.indices, using: &random)
          sequence.replace(at: index, with: -step)
          expected[index] = -step
        case 2..<4 where !expected.isEmpty:
          let index = Int.random(in: expected.indices, using: &random)
          let count = min(isGrowing ? 1 : size / 100 + 1, expected.count - index)
          for _ in 0..<count { sequence.remove(at: index) }
          expected.removeSubrange(index..<(index + count))
        default:
          let index = Int.random(in: 0...expected.count, using: &random)
          let count = isGrowing ? size / 200 + 1 : 1
          for _ in 0..<count { sequence.insert(step, at: index) }
          expected.insert(contentsOf: repeatElement(step, count: count), at: index)
        }
        if step % 50 == 0 { versions.append((sequence, expected)) }
        #expect(sequence.count == expected.count, "seed \(seed), size \(size), step \(step)")
        guard !expected.isEmpty else { continue }
        let index = Int.random(in: expected.indices, using: &random)
        #expect(sequence[index] == expected[index], "seed \(seed), size \(size), step \(step)")
      }
      versions.append((sequence, expected))
      for (sequence, expected) in versions {
        #expect(array(sequence) == expected, "seed \(seed), size \(size)")
      }
    }
  }

  @Test("a search by the order of the elements takes at most 30 steps")
  func partitioning() {
    let count = TestSize.count(small: 50_000, full: 1_000_000)
    let sequence = PersistentSequence((0..<count).map { 2 * $0 })
    for number in [-1, 0, 1, 999, 1_000, count + count / 5 + 1, 2 * count - 2, 2 * count - 1] {
      var steps = 0
      let index = sequence.partitioningIndex {
        steps += 1
        return $0 >= number
      }
      #expect(index == max(0, min(count, (number + 1) / 2)))
      #expect(steps <= 30)
    }
  }
}
