import Synchronization

/// A value that one thread at a time uses: `Mutex`, with an order that the thread sanitizer sees.
///
/// On Linux the waiting half of `Mutex` lies in the standard library, which is not built for the
/// sanitizer: it takes two threads that follow each other through a contended mutex for a race. The
/// load and the store here, two plain instructions on most processors, tell it that they do.
@usableFromInline
package struct Lock<Value: ~Copyable>: ~Copyable {
  @usableFromInline let mutex: Mutex<Value>
  @usableFromInline let order = Atomic<UInt8>(0)

  @inlinable
  package init(_ value: consuming sending Value) {
    mutex = Mutex(value)
  }

  /// Runs a closure while no other thread uses the value. It must be short, and call nobody's code.
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
