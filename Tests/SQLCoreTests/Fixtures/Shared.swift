import SQLCore

/// A value that several tasks change, one at a time.
final class Shared<Value: Sendable>: Sendable {
  private let value: Lock<Value>

  init(_ value: Value) {
    self.value = Lock(value)
  }

  var current: Value { value.withLock { $0 } }

  func change(_ body: (inout Value) -> Void) {
    value.withLock { body(&$0) }
  }
}
