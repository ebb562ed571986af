#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The threads of a database for work that may block, such as waiting for a busy file, an fsync or
/// a long read. Such work must not run on Swift's concurrency pool, which has only as many threads
/// as there are cores.
///
/// Jobs begin in the order in which they were submitted. Threads are started as needed, up to
/// `maximum`, and end after this object is released and the submitted jobs have run.
package final class WorkerThreads: Sendable {
  private let queue: JobQueue

  package init(maximum: Int) {
    queue = JobQueue(maximum: maximum)
  }

  deinit {
    queue.stop()
  }

  package func submit(_ job: @escaping @Sendable () -> Void) {
    queue.submit(job)
  }

  /// Runs a blocking job on its own thread while the task is suspended. The job can check whether
  /// the task was cancelled. It runs even if the task was already cancelled.
  package static func run<Result: Sendable>(
    _ job: @escaping @Sendable (JobCancellation) throws -> Result
  ) async throws -> Result {
    let cancellation = JobCancellation()
    return try await withTaskCancellationHandler {
      let thread = WorkerThreads(maximum: 1)
      return try await suspending { continuation in
        thread.submit { continuation.resume(with: Swift.Result { try job(cancellation) }) }
      }
    } onCancel: {
      cancellation.cancel()
    }
  }
}

/// Suspends the task until a thread of a database resumes it.
///
/// Normally, Swift resumes a task on a thread of its pool, and a task of an actor hops from there
/// to its actor. For a task of the main actor, this function avoids the detour through the pool:
/// the task hops to the main actor directly from the thread that has the result. This wakes two
/// threads instead of three. All other tasks are resumed on Swift's pool, because a task without an
/// actor would otherwise continue to run on the thread of the database.
func suspending<Result: Sendable>(
  isolation actor: isolated (any Actor)? = #isolation,
  _ body: (UnsafeContinuation<Result, any Error>) -> Void
) async throws -> Result {
  try await withTaskExecutorPreference(isMain(actor) ? ResumingThread.shared : nil) {
    _ = actor
    return try await withUnsafeThrowingContinuation(body)
  }
}

/// Returns whether an actor is the main actor. This function is never inlined. If the comparison
/// were part of an asynchronous function, Swift 6.3 would compile it in release builds to code that
/// its own verifier rejects.
@inline(never)
func isMain(_ actor: (any Actor)?) -> Bool {
  actor === MainActor.shared
}

/// An executor that runs a task on the thread that resumes the task. Use it only for a task that
/// hops to its actor at once.
private final class ResumingThread: TaskExecutor {
  static let shared = ResumingThread()

  func enqueue(_ job: consuming ExecutorJob) {
    job.runSynchronously(on: asUnownedTaskExecutor())
  }
}

/// The jobs that wait, and the threads that run them.
///
/// `@unchecked Sendable`: every property is read and written with `mutex` held.
private final class JobQueue: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private let maximum: Int
  private var jobs = Queue<@Sendable () -> Void>()
  private var threadCount = 0
  private var idleCount = 0
  private var isStopped = false

  init(maximum: Int) {
    self.maximum = maximum
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  func submit(_ job: @escaping @Sendable () -> Void) {
    pthread_mutex_lock(mutex)
    jobs.append(job)
    if jobs.count > idleCount, threadCount < maximum, startThread() { threadCount += 1 }
    // If no thread could be started at all, the job runs on the caller's thread.
    let mustRunHere = threadCount == 0
    pthread_mutex_unlock(mutex)
    // The mutex is unlocked first, because the thread that wakes up needs it at once.
    pthread_cond_signal(condition)
    if mustRunHere { runOne() }
  }

  func stop() {
    pthread_mutex_lock(mutex)
    isStopped = true
    pthread_cond_broadcast(condition)
    pthread_mutex_unlock(mutex)
  }

  private func startThread() -> Bool {
    let context = Unmanaged.passRetained(self)
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let code = pthread_create(&thread, nil, runThread, context.toOpaque())
    guard code == 0 else {
      context.release()
      return false
    }
    #if canImport(Darwin)
      if let thread { pthread_detach(thread) }
    #else
      pthread_detach(thread)
    #endif
    return true
  }

  fileprivate func run() {
    while let job = next() { job() }
  }

  private func runOne() {
    pthread_mutex_lock(mutex)
    let job = jobs.popFirst()
    pthread_mutex_unlock(mutex)
    job?()
  }

  /// Waits for the next job and returns it; nil if the thread must end. Jobs that were submitted
  /// before `stop()` are still returned.
  private func next() -> (@Sendable () -> Void)? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let job = jobs.popFirst() { return job }
      if isStopped { return nil }
      idleCount += 1
      pthread_cond_wait(condition, mutex)
      idleCount -= 1
    }
  }
}

#if canImport(Darwin)
  private func runThread(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Unmanaged<JobQueue>.fromOpaque(context).takeRetainedValue().run()
    return nil
  }
#else
  private func runThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let context { Unmanaged<JobQueue>.fromOpaque(context).takeRetainedValue().run() }
    return nil
  }
#endif

/// The identity of the current thread, used to detect an access from inside another access.
struct ThreadID: Hashable, Sendable {
  private let raw: UInt

  static var current: ThreadID {
    #if canImport(Darwin)
      ThreadID(raw: UInt(bitPattern: pthread_self()))
    #else
      ThreadID(raw: UInt(pthread_self()))
    #endif
  }
}

/// A queue: elements are added at the end and taken from the front. Taking an element does not move
/// the others.
struct Queue<Element> {
  /// The elements in order; nil for a taken element. If the array kept a taken element, the element
  /// would be released later, perhaps while a lock is held. The release may run the user's code.
  private var elements: [Element?] = []
  private var start = 0

  var count: Int { elements.count - start }
  var isEmpty: Bool { start == elements.count }
  var first: Element? { isEmpty ? nil : elements[start] }

  func contains(where isWanted: (Element) -> Bool) -> Bool {
    elements[start...].contains { $0.map(isWanted) ?? false }
  }

  func count(where isWanted: (Element) -> Bool) -> Int {
    elements[start...].count { $0.map(isWanted) ?? false }
  }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func popFirst() -> Element? {
    guard !isEmpty else { return nil }
    let first = elements[start].take()
    start += 1
    if start == elements.count || start > 256 {
      elements.removeFirst(start)
      start = 0
    }
    return first
  }
}

/// Blocks the calling thread for the given time, but always for less than a second.
package func pause(nanoseconds: UInt64) {
  var time = timespec(tv_sec: 0, tv_nsec: Int(min(nanoseconds, 999_999_999)))
  nanosleep(&time, nil)
}
