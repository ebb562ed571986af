/// A batch of rows on their way from the thread that reads them to the task that iterates over
/// them.
///
/// The rows are in manually managed memory rather than in an array: they are moved out one by one,
/// without a copy that would retain their contents, and the memory is used again.
///
/// `@unchecked Sendable`: it has one owner at a time, either the job that fills it or the iterator
/// that empties it, and is handed over under the lock of the `StreamProducer`.
final class RowBatch<Element: Sendable>: @unchecked Sendable {
  let memory: UnsafeMutablePointer<Element>
  let capacity: Int
  /// The number of rows, from the start of the memory. An iterator that takes the rows sets it to
  /// 0.
  var count = 0

  init(capacity: Int) {
    self.capacity = capacity
    memory = .allocate(capacity: capacity)
  }

  deinit {
    memory.deinitialize(count: count)
    memory.deallocate()
  }
}
