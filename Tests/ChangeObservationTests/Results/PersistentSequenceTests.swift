import TestRun
import Testing

@testable import ChangeObservation
@testable import SQLCore

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
  func likeAnArray() throws {
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
          InvariantChecks.whileOn { sequence.replace(at: index, with: -step) }
          expected[index] = -step
        case 2..<4 where !expected.isEmpty:
          let index = Int.random(in: expected.indices, using: &random)
          let count = min(isGrowing ? 1 : size / 100 + 1, expected.count - index)
          InvariantChecks.whileOn { for _ in 0..<count { sequence.remove(at: index) } }
          expected.removeSubrange(index..<(index + count))
        default:
          let index = Int.random(in: 0...expected.count, using: &random)
          let count = isGrowing ? size / 200 + 1 : 1
          InvariantChecks.whileOn { for _ in 0..<count { sequence.insert(step, at: index) } }
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
        #if DEBUG
          try sequence.checkInvariants()
        #endif
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

  #if DEBUG
    @Test("a damaged tree is found")
    func damaged() throws {
      typealias Node = PersistentSequence<Int>.Node
      func leaf(_ count: Int = 8) -> Node { Node(Array(0..<count)) }
      let wrong: [(String, Node)] = [
        ("the leaves are not equally deep", Node([leaf(), Node([leaf(), leaf()])])),
        ("a node is too large", Node([leaf(33), leaf()])),
        ("a node is too large", Node((0..<33).map { _ in leaf() })),
        ("a node below the root is empty", Node([leaf(), leaf(0)])),
        ("the root has one child", Node([leaf()])),
      ]
      for (invariant, node) in wrong {
        let error = #expect(throws: BrokenInvariant.self) { try node.checkInvariants() }
        #expect(error?.description == invariant)
      }
      let sequence = PersistentSequence(Array(0..<1_000))
      try sequence.checkInvariants()
      sequence.root.children[1].ends = [1]
      #expect(throws: BrokenInvariant.self) { try sequence.checkInvariants() }
      // A change checks the nodes on its way.
      let other = PersistentSequence(Array(0..<1_000))
      other.root.ends[1] += 1
      #expect(throws: BrokenInvariant.self) { try other.root.checkInvariants(around: 0) }
    }

    @Test("while the checks are on, each change of a tree is checked")
    func switched() {
      var sequence = PersistentSequence(Array(0..<1_000))
      let count = InvariantChecks.runCount
      InvariantChecks.whileOn {
        sequence.insert(0, at: 500)
        sequence.replace(at: 1_000, with: 0)
        sequence.remove(at: 0)
      }
      #expect(InvariantChecks.runCount >= count + 3)
    }
  #endif
}
