/// How many rows are read at a time.
///
/// The first batch is one row, so that it comes at once; then they grow from 64 rows to 1,024, so that
/// a long stream costs little to hand over. A batch ends early where its rows are large or slow: it is read in slices, after each of
/// which its bytes and its time are looked at, and a slice that was too much makes the next smaller.
struct BatchPacing {
  static let minimumRows = 64
  static let maximumRows = 1_024
  static let maximumSlice = 64
  static let maximumBytes = 1 << 20
  static let maximumTime = Duration.milliseconds(10)

  /// How many rows the batch may have.
  private(set) var rows = 1
  private var slice = 1
  private var bytes = 0
  private var start = ContinuousClock.now

  mutating func beginBatch() {
    bytes = 0
    start = .now
  }

  /// How many rows to read next, of a batch that has `count`; 0 where it is full.
  func next(after count: Int) -> Int {
    min(slice, rows - count)
  }

  /// Notes a slice of `count` rows, the last of about `bytes` bytes; false where the batch must end.
  mutating func noteSlice(of count: Int, rowBytes: Int) -> Bool {
    bytes += count * rowBytes
    guard bytes < Self.maximumBytes, ContinuousClock.now - start < Self.maximumTime else {
      slice = max(1, slice / 4)
      return false
    }
    slice = min(slice * 2, Self.maximumSlice)
    return true
  }

  /// Notes that the batch was filled.
  mutating func grow() {
    rows = min(max(rows * 2, Self.minimumRows), Self.maximumRows)
  }
}
