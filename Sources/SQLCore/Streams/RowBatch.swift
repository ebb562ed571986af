/// Rows on their way from the thread that reads them to the task that iterates over them.
///
/// The memory is not an array's: rows are moved out of it one by one, without a copy that would
/// retain what they hold, and it is filled again.
///
/// `@unchecked Sendable`: it has one holder at a time, the job that fills it or the iterator that
/// empties it, and passes between them under the lock of the `StreamProducer`.
final class RowBatch<Element: Sendable>: @unchecked Sendable {
  let memory: UnsafeMutablePointer<Element>
  let capacity: Int
  /// How many rows there are, from the start of the memory; an iterator that takes them sets it to 0.
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
