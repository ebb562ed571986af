import Dispatch
import TestRun
import Testing

@Suite("Tests that block", .blocking)
struct BlockingTestsTests {
  /// Each child waits for the others on a semaphore. With threads of their own they meet; the
  /// threads of Swift's pool would be too few.
  @Test("child tasks of such a test have their own threads")
  func children() async {
    let arrived = DispatchSemaphore(value: 0)
    let mayLeave = DispatchSemaphore(value: 0)
    await withTaskGroup { group in
      for _ in 0..<64 {
        group.addTask {
          arrived.signal()
          mayLeave.wait()
        }
      }
      for _ in 0..<64 { arrived.wait() }
      for _ in 0..<64 { mayLeave.signal() }
      await group.waitForAll()
    }
  }

  @Test("a test with the trait inside a suite with the trait takes one turn", .blocking)
  func nested() {}

  @Test("a closure on a thread returns its value and throws its error")
  func closure() async throws {
    #expect(try await onThread { 7 } == 7)
    await #expect(throws: CancellationError.self) {
      try await onThread { throw CancellationError() }
    }
  }
}

@Suite("The size of a run")
struct TestSizeTests {
  @Test("a sample is spread over the list at the small size, and whole at every other")
  func sample() {
    let sample = TestSize.sample(Array(0..<10), small: 3)
    #expect(sample == (TestSize.current == .small ? [0, 3, 6] : Array(0..<10)))
    #expect(TestSize.sample([1, 2], small: 3) == [1, 2])
  }
}
