import Foundation

/// Runs a closure on a thread of its own with a stack of 64 MB, and waits for it.
///
/// The translator, DuckDB's binder and DuckDB's optimizer are recursive: they call themselves for
/// each level of nesting in a query. Some threads, such as those of Dispatch, have stacks for only
/// a few levels, and an overflow of the stack would end the program. A stack of 64 MB is enough for
/// far more levels than the translator allows.
func onLargeStack<Value>(_ body: () throws -> Value) throws -> Value {
  try withoutActuallyEscaping(body) { body in
    let call = LargeStackCall(body)
    let thread = Thread { call.run() }
    thread.stackSize = 64 << 20
    thread.start()
    return try call.wait()
  }
}

/// A closure that another thread runs while the caller waits.
///
/// `@unchecked Sendable`: the other thread uses the object first. The caller does not use it before
/// the thread has signalled the semaphore.
private final class LargeStackCall<Value>: @unchecked Sendable {
  private var body: (() throws -> Value)?
  private var result: Result<Value, any Error>?
  private let isDone = DispatchSemaphore(value: 0)

  init(_ body: @escaping () throws -> Value) {
    self.body = body
  }

  func run() {
    result = body.map { body in Result { try body() } }
    // After the signal, the caller may return. Its closure must not live longer than the call, so
    // the reference to the closure is removed before the signal.
    body = nil
    isDone.signal()
  }

  func wait() throws -> Value {
    isDone.wait()
    guard let result else { throw AnalyticsError.interrupted }
    return try result.get()
  }
}
