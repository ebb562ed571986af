import Foundation

/// An executor that runs each job of its tasks on a thread that may block: it has as many threads
/// as jobs run at once.
///
/// `@unchecked Sendable`: the condition guards the other properties.
public final class ThreadExecutor: TaskExecutor, @unchecked Sendable {
  /// The executor of all tests that block.
  public static let shared = ThreadExecutor()

  private let condition = NSCondition()
  private var jobs: [UnownedJob] = []
  /// The number of threads that wait for a job, or are about to take one.
  private var idleCount = 0

  /// Runs a job on an idle thread, or on a new one.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    condition.withLock {
      jobs.append(job)
      if jobs.count > idleCount {
        idleCount += 1
        Thread.detachNewThread { self.run() }
      } else {
        condition.signal()
      }
    }
  }

  /// Runs jobs for ever: the body of a thread, which stays for later jobs.
  private func run() {
    while true {
      nextJob().runSynchronously(on: asUnownedTaskExecutor())
      condition.withLock { idleCount += 1 }
    }
  }

  private func nextJob() -> UnownedJob {
    condition.withLock {
      while jobs.isEmpty { condition.wait() }
      idleCount -= 1
      return jobs.removeFirst()
    }
  }
}
