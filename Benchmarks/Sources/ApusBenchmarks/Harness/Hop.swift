import Dispatch
import Foundation
import Synchronization

/// A measurement of the time that this machine now needs to hand work over to another thread.
///
/// An asynchronous call whose work is done on another thread costs at least one *hop*: the task
/// suspends and wakes the thread, which resumes the task. The time of a hop depends on the other
/// work of the machine. So it is measured between the rounds of those workloads whose targets refer
/// to it.
enum Hop {
  /// Returns the median time of 200 hops, in nanoseconds.
  nonisolated(nonsending)
    static func measure() async -> Double
  {
    let partner = Partner()
    defer { partner.end() }
    var times: [Double] = []
    for _ in 0..<200 {
      let start = ContinuousClock.now
      await withUnsafeContinuation { partner.resume($0) }
      times.append((ContinuousClock.now - start) / .nanoseconds(1))
    }
    return quantile(times, 0.5) ?? 0
  }
}

/// A thread that waits for tasks, and resumes each of them at once.
private final class Partner: Sendable {
  private enum Request: Sendable {
    case none
    case resume(UnsafeContinuation<Void, Never>)
    case end
  }

  private let request = Mutex(Request.none)
  private let signal = DispatchSemaphore(value: 0)

  init() {
    Thread { [self] in
      while true {
        signal.wait()
        switch request.withLock({ $0 }) {
        case .resume(let continuation): continuation.resume()
        case .end: return
        case .none: break
        }
      }
    }.start()
  }

  func resume(_ continuation: UnsafeContinuation<Void, Never>) {
    request.withLock { $0 = .resume(continuation) }
    signal.signal()
  }

  func end() {
    request.withLock { $0 = .end }
    signal.signal()
  }
}
