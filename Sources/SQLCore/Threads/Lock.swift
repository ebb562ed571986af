import Synchronization

/// A value that only one thread at a time can use. It is like a `Mutex`, but the thread sanitizer
/// can see the order in which threads use the value.
///
/// On Linux, the waiting part of `Mutex` is in the standard library, which is not built for the
/// thread sanitizer. The sanitizer therefore reports a race if two threads use a contended mutex
/// one after the other. The atomic load and store here show the order to the sanitizer. They are
/// two plain instructions on most processors.
@usableFromInline
package struct Lock<Value: ~Copyable>: ~Copyable {
  @usableFromInline let mutex: Mutex<Value>
  @usableFromInline let order = Atomic<UInt8>(0)

  @inlinable
  package init(_ value: consuming sending Value) {
    mutex = Mutex(value)
  }

  /// Runs a closure while no other thread uses the value. The closure must be short, and must not
  /// call the user's code.
  @inlinable
  package borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try mutex.withLock { value throws(Failure) in
      _ = order.load(ordering: .acquiring)
      defer { order.store(0, ordering: .releasing) }
      return try body(&value)
    }
  }
}

extension Lock: @unchecked Sendable where Value: ~Copyable {}
