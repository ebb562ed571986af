import CSQLite
import Dispatch

@testable import SQLCore

/// `hook(i)` in SQL returns `i`, and runs the test's closure if `i` is 1. So a test can act in the
/// middle of a statement without a race.
final class SQLHook: Sendable {
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) {
    self.body = body
  }

  /// A statement that calls the hook with its first row and then takes many steps.
  static let rows: SQL =
    """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 50000)
    SELECT count(hook(i)) AS total FROM n
    """

  /// The same count, inserted into `note`.
  static let insertion: SQL =
    """
    INSERT INTO note
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 50000)
    SELECT count(hook(i)) FROM n
    """

  /// Registers `hook` on each connection.
  func configuration(_ change: (inout Configuration) -> Void = { _ in }) -> Configuration {
    .with {
      change(&$0)
      $0.prepareConnection = { [self] connection in
        let code = sqlite3_create_function_v2(
          connection.core.handle, "hook", 1, SQLITE_UTF8, Unmanaged.passRetained(self).toOpaque(),
          { context, _, arguments in
            guard let data = sqlite3_user_data(context), let argument = arguments?[0] else {
              return
            }
            let number = sqlite3_value_int64(argument)
            if number == 1 { Unmanaged<SQLHook>.fromOpaque(data).takeUnretainedValue().body() }
            sqlite3_result_int64(context, number)
          }, nil, nil,
          { data in
            if let data { Unmanaged<SQLHook>.fromOpaque(data).release() }
          })
        try connection.core.check(code)
      }
    }
  }
}

/// A place at which a thread stops until the test lets it go on.
final class Stop: Sendable {
  private let reached = DispatchSemaphore(value: 0)
  private let mayGoOn = DispatchSemaphore(value: 0)

  /// Called by the thread that stops.
  func stop() {
    reached.signal()
    mayGoOn.wait()
  }

  /// Waits until a thread has stopped.
  func wait() { reached.wait() }

  func goOn() { mayGoOn.signal() }
}

/// A closure that runs on its own thread, and its outcome.
final class Running<Value: Sendable>: Sendable {
  private let ended = DispatchSemaphore(value: 0)
  private let outcome = Lock<Result<Value, any Error>?>(nil)

  init(_ body: @escaping @Sendable () throws -> Value) {
    startThread { [self] in
      let result = Result { try body() }
      outcome.withLock { $0 = result }
      ended.signal()
    }
  }

  /// Waits for the outcome, once.
  func value() throws -> Value {
    ended.wait()
    guard let result = outcome.withLock({ $0 }) else { throw CancellationError() }
    return try result.get()
  }

  /// Waits for the outcome and returns the error that the closure threw.
  func error() -> (any Error)? {
    do {
      _ = try value()
      return nil
    } catch {
      return error
    }
  }
}
