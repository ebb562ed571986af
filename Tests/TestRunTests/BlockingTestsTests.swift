import Dispatch
import TestRun
import Testing

@Suite("Tests that block", .blocking)
struct BlockingTestsTests {
  /// Each waits for the others on a semaphore: with threads of their own they meet, where the threads
  /// of tasks would be too few.
  @Test("child tasks of such a test have threads of their own")
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

  @Test("a closure on a thread gives its value and its error")
  func closure() async throws {
    #expect(try await onThread { 7 } == 7)
    await #expect(throws: CancellationError.self) {
      try await onThread { throw CancellationError() }
    }
  }
}

@Suite("The size of a run")
struct TestSizeTests {
  @Test("a sample is spread over the list, and whole at every other size")
  func sample() {
    let sample = TestSize.sample(Array(0..<10), small: 3)
    #expect(sample == (TestSize.current == .small ? [0, 3, 6] : Array(0..<10)))
    #expect(TestSize.sample([1, 2], small: 3) == [1, 2])
  }
}
