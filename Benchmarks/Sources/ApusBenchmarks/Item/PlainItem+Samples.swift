import Foundation

extension PlainItem {
  /// Returns items with the keys 1 to `count`, the same in each run.
  static func samples(_ count: Int) -> [PlainItem] {
    (1...count).map { PlainItem(sample: $0) }
  }

  /// Creates an item. The title has about 24 characters and the body about 60. The payload has 16
  /// bytes. In one item of four, the body is nil, and in one item of two, the payload is nil.
  private init(sample index: Int) {
    id = Int64(index)
    title = "The title of item \(100_000 + index)"
    body = "The body of item \(100_000 + index), in a sentence of sixty letters"
    if index.isMultiple(of: 4) { body = nil }
    score = Double(index) * 0.37
    count = Int64(index % 1_000)
    flag = index.isMultiple(of: 3)
    createdAt = Date(timeIntervalSince1970: 1_700_000_000 + Double(index))
    payload = Data((0..<16).map { UInt8(truncatingIfNeeded: index &+ $0) })
    if index.isMultiple(of: 2) { payload = nil }
  }
}
