/// A batch of rows on their way from the thread that reads them to the task that iterates over
/// them.
///
/// The rows are in manually managed memory rather than in an array. The iterator moves them out one
/// by one without retaining their contents, and the memory is used again.
///
/// `@unchecked Sendable`: a batch has one owner at a time, either the job that fills it or the
/// iterator that empties it. It is handed over under the lock of the `StreamProducer`.
final class RowBatch<Element: Sendable>: @unchecked Sendable {
  let memory: UnsafeMutablePointer<Element>
  let capacity: Int
  /// The number of rows in the batch. The rows are at the start of the memory. When the iterator
  /// takes over the rows, it sets the number to 0.
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

/// The pacing of a stream, which decides how many rows are read in each batch.
///
/// The first batch is one row, so that it arrives at once. The next batches grow from 64 rows to
/// 1,024, so that passing a batch to another thread costs little per row. A batch is read in
/// slices. After each slice, the size of the batch in bytes and the time so far are checked. If one
/// of them exceeds its limit, because rows are large or slow, the batch ends early and the next
/// slices are smaller.
struct BatchPacing {
  static let minimumRows = 64
  static let maximumRows = 1_024
  static let maximumSlice = 64
  static let maximumBytes = 1 << 20
  static let maximumTime = Duration.milliseconds(10)

  /// The maximum number of rows in the batch.
  private(set) var rows = 1
  private var slice = 1
  private var bytes = 0
  private var start = ContinuousClock.now

  mutating func beginBatch() {
    bytes = 0
    start = .now
  }

  /// Returns the number of rows to read next, for a batch that has `count` rows; 0 if the batch is
  /// full.
  func next(after count: Int) -> Int {
    min(slice, rows - count)
  }

  /// Records a slice of `count` rows whose last row has about `rowBytes` bytes. Returns false if
  /// the batch must end.
  mutating func noteSlice(of count: Int, rowBytes: Int) -> Bool {
    bytes += count * rowBytes
    guard bytes < Self.maximumBytes, ContinuousClock.now - start < Self.maximumTime else {
      slice = max(1, slice / 4)
      return false
    }
    slice = min(slice * 2, Self.maximumSlice)
    return true
  }

  /// Makes the next batch larger, because this batch was filled.
  mutating func grow() {
    rows = min(max(rows * 2, Self.minimumRows), Self.maximumRows)
  }
}
