import Foundation

/// Runs a closure on a thread of its own with a stack of 64 MB, and waits for it.
///
/// The translator, and DuckDB's binder and optimizer, call themselves for each level of a query.
/// The stacks of some threads, such as those of Dispatch, hold only a few levels; an overflow would
/// end the program. This stack holds far more levels than the translator allows.
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
/// `@unchecked Sendable`: the thread uses the object first, and the caller waits for the semaphore
/// before it uses the object.
private final class LargeStackCall<Value>: @unchecked Sendable {
  private var body: (() throws -> Value)?
  private var result: Result<Value, any Error>?
  private let isDone = DispatchSemaphore(value: 0)

  init(_ body: @escaping () throws -> Value) {
    self.body = body
  }

  func run() {
    result = body.map { body in Result { try body() } }
    // The caller may return now, and its closure must not live longer than the call.
    body = nil
    isDone.signal()
  }

  func wait() throws -> Value {
    isDone.wait()
    guard let result else { throw AnalyticsError.interrupted }
    return try result.get()
  }
}
