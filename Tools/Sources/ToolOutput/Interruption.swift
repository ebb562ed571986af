#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
import Foundation
import Synchronization

/// The user's request to end the command: Ctrl-C (SIGINT), or SIGTERM.
///
/// The command ends as it does after an error: its statements are interrupted, a transaction is
/// rolled back, and unfinished files are removed. The exit status is 130 or 143. A second signal
/// ends the program at once.
package enum Interruption {
  /// The number of the first signal that arrived; 0 if no signal has arrived.
  private static let number = Atomic<Int32>(0)
  /// The input of the pipe through which the signal handler wakes the interrupting thread.
  private static let pipe = Atomic<Int32>(-1)
  /// The closures that interrupt the statements of the open databases.
  private static let interrupts = Mutex<[@Sendable () -> Void]>([])
  /// The thread whose system call may be waiting for another program; nil if no thread waits.
  private static let waiting = Mutex<pthread_t?>(nil)

  /// Whether a signal has arrived.
  package static var isRequested: Bool { number.load(ordering: .relaxed) != 0 }

  /// The exit status of a command that was interrupted.
  package static var status: Int32 { 128 + number.load(ordering: .relaxed) }

  /// The error of a command that was interrupted.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String

    /// - Parameter consequence: what was not done, such as `nothing was imported`.
    package init(_ consequence: String? = nil) {
      description = "interrupted" + (consequence.map { "; \($0)" } ?? "")
    }
  }

  /// Throws if a signal has arrived.
  package static func check() throws {
    if isRequested { throw Failure() }
  }

  /// Registers a closure that interrupts the statements of a database. After a signal, the closure
  /// is called again and again on another thread until the program ends.
  package static func onRequest(_ interrupt: @escaping @Sendable () -> Void) {
    interrupts.withLock { $0.append(interrupt) }
  }

  /// Stops the interruptions. Each interruption retains the databases for a moment, and could
  /// prevent their last owner from closing them and removing their temporary files.
  package static func finish() {
    interrupts.withLock { $0 = [] }
  }

  /// Makes a system call that may wait for another program, such as the reader of a pipe. A signal
  /// ends the call with EINTR.
  static func whileWaiting<Result>(_ call: () -> Result) -> Result {
    // Dispatch blocks all signals on its threads, so SIGUSR1 must be unblocked here.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGUSR1)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    waiting.withLock { $0 = pthread_self() }
    defer { waiting.withLock { $0 = nil } }
    return call()
  }

  /// Waits for a time, or until a signal arrives.
  package static func sleep(seconds: Double) {
    var time = timespec()
    time.tv_sec = Int(seconds)
    time.tv_nsec = Int((seconds - seconds.rounded(.down)) * 1e9)
    if !isRequested { _ = whileWaiting { nanosleep(&time, nil) } }
  }

  // MARK: Signals

  /// Installs the signal handlers, and starts the thread that interrupts.
  package static func `catch`() {
    var ends: [Int32] = [-1, -1]
    // Reading `isRequested` initialises `number`. The signal handler must not do this.
    guard !isRequested, makePipe(&ends) else { return }
    let (output, input) = (ends[0], ends[1])
    pipe.store(input, ordering: .relaxed)
    Thread.detachNewThread { interruptForEver(after: output) }
    for signal in [SIGINT, SIGTERM] {
      install(signal) { signal in
        // Only async-signal-safe operations are allowed here, such as an atomic exchange and
        // `write`.
        guard Interruption.number.exchange(signal, ordering: .relaxed) == 0 else {
          // This is the second signal. The handler restores the default action, which ends the
          // program.
          Interruption.install(signal, SIG_DFL)
          raise(signal)
          return
        }
        var byte: UInt8 = 0
        _ = write(Interruption.pipe.load(ordering: .relaxed), &byte, 1)
      }
    }
    // The handler of SIGUSR1 does nothing. The purpose of the signal is to end a waiting system
    // call.
    install(SIGUSR1) { _ in }
  }

  /// Waits for the first signal, and then interrupts statements and system calls again and again
  /// until the program ends. One interruption is not enough, because it does not affect a statement
  /// that begins later.
  private static func interruptForEver(after pipe: Int32) {
    var byte: UInt8 = 0
    while read(pipe, &byte, 1) < 0, errno == EINTR {}
    while true {
      interrupts.withLock { interrupts in
        for interrupt in interrupts { interrupt() }
      }
      waiting.withLock { thread in
        if let thread { pthread_kill(thread, SIGUSR1) }
      }
      usleep(20_000)
    }
  }

  /// Installs a signal handler. A system call that the signal interrupts is not restarted.
  private static func install(
    _ signal: Int32, _ handler: (@convention(c) (Int32) -> Void)?
  ) {
    var action = sigaction()
    #if canImport(Darwin)
      action.__sigaction_u.__sa_handler = handler
    #else
      action.__sigaction_handler.sa_handler = handler
    #endif
    sigaction(signal, &action, nil)
  }

  private static func makePipe(_ ends: inout [Int32]) -> Bool {
    #if canImport(Darwin)
      let code = Darwin.pipe(&ends)
    #elseif canImport(Glibc)
      let code = Glibc.pipe(&ends)
    #else
      let code = Musl.pipe(&ends)
    #endif
    guard code == 0 else { return false }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return true
  }
}
