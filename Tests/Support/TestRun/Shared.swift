import SQLCore

/// A value that several tasks change, one at a time.
public final class Shared<Value: Sendable>: Sendable {
  private let value: Lock<Value>

  /// Begins with a value.
  public init(_ value: Value) {
    self.value = Lock(value)
  }

  /// The value as it is now.
  public var current: Value { value.withLock { $0 } }

  /// Changes the value, while no other task does.
  public func change(_ body: (inout Value) -> Void) {
    value.withLock { body(&$0) }
  }
}
