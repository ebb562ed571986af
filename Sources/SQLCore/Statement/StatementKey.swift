/// The bytes by which a statement is found again, written into memory that the connection reuses.
///
/// A typed query writes its shape: an operator a byte, a column its number, and no value. Raw SQL
/// writes its text behind another first byte.
package struct StatementKey {
  /// What kind of bytes follow the first.
  package enum Kind: UInt8 {
    case text = 1
    case shape = 2
  }

  private var start: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private var count: Int

  init() {
    capacity = 512
    start = .allocate(capacity: capacity)
    count = 0
  }

  func deallocate() {
    start.deallocate()
  }

  package var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: start, count: count)
  }

  /// Begins a new key.
  package mutating func begin(_ kind: Kind) {
    start.pointee = kind.rawValue
    count = 1
  }

  package mutating func append(_ byte: UInt8) {
    if count == capacity { grow(by: 1) }
    start[count] = byte
    count &+= 1
  }

  /// Appends the bytes of a trivial value.
  package mutating func append<Value: BitwiseCopyable>(_ value: Value) {
    let size = MemoryLayout<Value>.size
    if capacity - count < size { grow(by: size) }
    UnsafeMutableRawPointer(start + count).storeBytes(of: value, as: Value.self)
    count &+= size
  }

  /// Appends text with its length before it, so that two texts never run into each other.
  package mutating func append(text: String) {
    append(UInt32(truncatingIfNeeded: text.utf8.count))
    append(unmeasured: text)
  }

  /// Appends text alone, at the end of a key.
  mutating func append(unmeasured text: String) {
    var text = text
    text.withUTF8 { bytes in
      guard let source = bytes.baseAddress else { return }
      if capacity - count < bytes.count { grow(by: bytes.count) }
      (start + count).update(from: source, count: bytes.count)
      count += bytes.count
    }
  }

  private mutating func grow(by more: Int) {
    let larger = max(capacity * 2, count + more)
    let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
    moved.update(from: start, count: count)
    start.deallocate()
    start = moved
    capacity = larger
  }
}
