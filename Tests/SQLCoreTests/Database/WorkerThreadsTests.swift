import Dispatch
import Synchronization
import TestRun
import Testing

@testable import SQLCore

@Suite("The threads of a database", .blocking)
struct WorkerThreadsTests {
  @Test("one thread runs the jobs in the order in which they came")
  func order() {
    let threads = WorkerThreads(maximum: 1)
    let seen = Lock<[(Int, ThreadID)]>([])
    let ended = DispatchSemaphore(value: 0)
    for number in 0..<1_000 {
      threads.submit {
        seen.withLock { $0.append((number, .current)) }
        if number == 999 { ended.signal() }
      }
    }
    ended.wait()
    let (numbers, ids) = seen.withLock { ($0.map(\.0), Set($0.map(\.1))) }
    #expect(numbers == Array(0..<1_000))
    #expect(ids.count == 1)
    #expect(ids.first != .current)
  }

  @Test("blocked jobs do not delay others, up to the maximum number of threads")
  func several() {
    let threads = WorkerThreads(maximum: 3)
    let begun = DispatchSemaphore(value: 0)
    let mayEnd = DispatchSemaphore(value: 0)
    let ended = DispatchSemaphore(value: 0)
    let ids = Lock<Set<ThreadID>>([])
    for _ in 0..<9 {
      threads.submit {
        _ = ids.withLock { $0.insert(.current) }
        begun.signal()
        mayEnd.wait()
        ended.signal()
      }
    }
    for _ in 0..<3 { begun.wait() }
    #expect(ids.withLock { $0.count } == 3)
    for _ in 0..<9 { mayEnd.signal() }
    for _ in 0..<9 { ended.wait() }
    #expect(ids.withLock { $0.count } == 3)
  }

  @Test("a job may submit another, and submitted jobs run after the pool is released")
  func submitting() {
    let ended = DispatchSemaphore(value: 0)
    do {
      let threads = WorkerThreads(maximum: 1)
      let mayBegin = DispatchSemaphore(value: 0)
      threads.submit { mayBegin.wait() }
      threads.submit { threads.submit { ended.signal() } }
      threads.submit { ended.signal() }
      mayBegin.signal()
    }
    ended.wait()
    ended.wait()
  }

  /// Submits a job when it is released.
  private final class Parting: Sendable {
    private let leave: @Sendable () -> Void
    init(_ leave: @escaping @Sendable () -> Void) { self.leave = leave }
    deinit { leave() }
  }

  @Test("a job is released without a lock held, so its deinit may submit a job")
  func letGo() {
    let threads = WorkerThreads(maximum: 1)
    let mayBegin = DispatchSemaphore(value: 0)
    let ended = DispatchSemaphore(value: 0)
    threads.submit { mayBegin.wait() }
    for _ in 0..<10 {
      let parting = Parting { threads.submit { ended.signal() } }
      threads.submit { _ = parting }
    }
    mayBegin.signal()
    for _ in 0..<10 { ended.wait() }
  }

  @Test("jobs from many threads all run")
  func manySubmitters() {
    let threads = WorkerThreads(maximum: 4)
    let sum = Atomic<Int>(0)
    let ended = DispatchSemaphore(value: 0)
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for number in 0..<500 {
        threads.submit {
          sum.add(number, ordering: .relaxed)
          ended.signal()
        }
      }
    }
    for _ in 0..<4_000 { ended.wait() }
    #expect(sum.load(ordering: .relaxed) == 8 * 499 * 250)
  }
}
