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
  /// The number of the first signal, or 0.
  private static let number = Atomic<Int32>(0)
  /// The pipe through which the signal handler wakes the thread that interrupts.
  private static let pipe = Atomic<Int32>(-1)
  /// The closures that interrupt the statements of the open databases.
  private static let interrupts = Mutex<[@Sendable () -> Void]>([])
  /// The thread that is inside a system call that may wait for another program.
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

  /// Registers a closure that interrupts the statements of a database. It is called several times,
  /// on another thread, until the program ends.
  package static func onRequest(_ interrupt: @escaping @Sendable () -> Void) {
    interrupts.withLock { $0.append(interrupt) }
  }

  /// Ends the interrupting, which then holds no database: the last owner of a database closes it
  /// and removes its temporary files.
  package static func finish() {
    interrupts.withLock { $0 = [] }
  }

  /// Makes a system call that may wait for another program, such as the reader of a pipe. A signal
  /// ends the call with EINTR.
  static func whileWaiting<Result>(_ call: () -> Result) -> Result {
    // The threads of Dispatch block all signals.
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

  /// Makes the program notice the signals.
  package static func `catch`() {
    var ends: [Int32] = [-1, -1]
    // The handler must not be the first to use the number, since that would initialise it.
    guard !isRequested, makePipe(&ends) else { return }
    let (output, input) = (ends[0], ends[1])
    pipe.store(input, ordering: .relaxed)
    Thread.detachNewThread { interruptForEver(after: output) }
    for signal in [SIGINT, SIGTERM] {
      install(signal) { signal in
        // Only a store and a write are safe here.
        guard Interruption.number.exchange(signal, ordering: .relaxed) == 0 else {
          // The second signal: its default action ends the program.
          Interruption.install(signal, SIG_DFL)
          raise(signal)
          return
        }
        var byte: UInt8 = 0
        _ = write(Interruption.pipe.load(ordering: .relaxed), &byte, 1)
      }
    }
    // This signal only makes a system call end.
    install(SIGUSR1) { _ in }
  }

  /// Interrupts what runs until the program has ended. An interruption does not affect a statement
  /// that begins later, so one interruption is not enough.
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

  /// Installs a handler after which a system call is not restarted.
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
