/// The key under which a statement is cached, written into memory that the connection reuses.
///
/// The first byte is the kind of the key. In the key of a typed query, the query's shape follows: a
/// byte for each operator and a number for each column, but no values. In the key of raw SQL, the
/// text of the SQL follows.
///
/// Code of another module writes a key for each statement that runs. The methods are therefore
/// `@inlinable`.
@usableFromInline
package struct StatementKey {
  /// The kind of a key, which is its first byte.
  package enum Kind: UInt8 {
    case text = 1
    case shape = 2
  }

  /// The number of bytes after the key that are always readable, because hashing reads whole words.
  private static let slack = 16

  @usableFromInline var start: UnsafeMutablePointer<UInt8>
  /// The number of bytes for which the key has memory, without the slack.
  @usableFromInline var capacity: Int
  @usableFromInline var count: Int
  private let seed = UInt64.random(in: .min ... .max)

  package init() {
    capacity = 512
    count = 0
    start = Self.allocate(capacity)
  }

  private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<UInt8> {
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity + slack)
    memory.initialize(repeating: 0, count: capacity + slack)
    return memory
  }

  package func deallocate() {
    start.deallocate()
  }

  package var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: start, count: count)
  }

  /// The hash of the key.
  var hash: UInt64 { KeyHash.hash(start, count: count, seed: seed) }

  /// Removes the bytes of the previous key, and writes the kind of the new one.
  package mutating func begin(_ kind: Kind) {
    start.pointee = kind.rawValue
    count = 1
  }

  @inlinable
  @inline(__always)
  package mutating func append(_ byte: UInt8) {
    if count == capacity { grow(by: 1) }
    start[count] = byte
    count &+= 1
  }

  /// Appends the bytes of a value whose type is `BitwiseCopyable`.
  @inlinable
  @inline(__always)
  package mutating func append<Value: BitwiseCopyable>(_ value: Value) {
    let size = MemoryLayout<Value>.size
    if capacity - count < size { grow(by: size) }
    UnsafeMutableRawPointer(start + count).storeBytes(of: value, as: Value.self)
    count &+= size
  }

  /// Appends a byte and two numbers.
  @inlinable
  @inline(__always)
  package mutating func append(_ byte: UInt8, _ first: UInt16, _ second: UInt16) {
    // A single store of 8 bytes writes the 5 bytes. The next append overwrites the other 3 bytes.
    if capacity - count < 8 { grow(by: 8) }
    let word = UInt64(byte) | UInt64(first) << 8 | UInt64(second) << 24
    UnsafeMutableRawPointer(start + count).storeBytes(of: word, as: UInt64.self)
    count &+= 5
  }

  /// Appends a byte and a number.
  @inlinable
  @inline(__always)
  package mutating func append(_ byte: UInt8, _ number: UInt16) {
    if capacity - count < 4 { grow(by: 4) }
    let word = UInt32(byte) | UInt32(number) << 8
    UnsafeMutableRawPointer(start + count).storeBytes(of: word, as: UInt32.self)
    count &+= 3
  }

  /// Appends a text with its length before it, so that two texts in a row are unambiguous.
  package mutating func append(text: String) {
    append(UInt32(truncatingIfNeeded: text.utf8.count))
    append(unmeasured: text)
  }

  /// Appends the bytes of another key.
  package mutating func append(contentsOf bytes: ArraySlice<UInt8>) {
    bytes.withUnsafeBufferPointer { bytes in
      guard let source = bytes.baseAddress else { return }
      if capacity - count < bytes.count { grow(by: bytes.count) }
      (start + count).update(from: source, count: bytes.count)
      count += bytes.count
    }
  }

  /// Appends a text without its length. Use this only for the last part of a key.
  mutating func append(unmeasured text: String) {
    var text = text
    text.withUTF8 { bytes in
      guard let source = bytes.baseAddress else { return }
      if capacity - count < bytes.count { grow(by: bytes.count) }
      (start + count).update(from: source, count: bytes.count)
      count += bytes.count
    }
  }

  @usableFromInline
  mutating func grow(by more: Int) {
    let larger = max(capacity * 2, count + more)
    let moved = Self.allocate(larger)
    moved.update(from: start, count: count)
    start.deallocate()
    start = moved
    capacity = larger
  }
}

/// The hash function of statement keys, similar to wyhash: one multiplication of 64 × 64 bits for
/// each 16 bytes. Each connection has its own random seed.
enum KeyHash {
  /// Returns the hash of `count` bytes. The 16 bytes after them must be readable; their content
  /// does not matter.
  static func hash(_ start: UnsafePointer<UInt8>, count: Int, seed: UInt64) -> UInt64 {
    var position = UnsafeRawPointer(start)
    var remaining = count
    // The count is multiplied before it is combined with the seed. Otherwise, an additional byte
    // and a flipped bit could change the hash in ways that cancel each other out.
    var state = seed ^ (UInt64(truncatingIfNeeded: count) &* 0x9E37_79B9_7F4A_7C15)
    while remaining >= 16 {
      state = mix(
        word(position) ^ 0xA076_1D64_78BD_642F, word(position + 8) ^ state)
      position += 16
      remaining -= 16
    }
    let low = word(position) & mask(remaining)
    let high = word(position + 8) & mask(remaining - 8)
    return mix(low ^ 0xE703_7ED1_A0B4_28DB, high ^ state ^ 0x8EBC_6AF0_9C88_C6E3)
  }

  @inline(__always)
  private static func word(_ position: UnsafeRawPointer) -> UInt64 {
    UInt64(littleEndian: position.loadUnaligned(as: UInt64.self))
  }

  /// Returns a mask of the first `bytes` bytes of a word.
  @inline(__always)
  private static func mask(_ bytes: Int) -> UInt64 {
    bytes >= 8 ? .max : bytes <= 0 ? 0 : (1 << UInt64(bytes * 8)) &- 1
  }

  /// Returns the hash of bytes that have no readable memory after them. The bytes are copied first.
  static func hash(unpadded bytes: UnsafeBufferPointer<UInt8>, seed: UInt64) -> UInt64 {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes.count + 16) { copy in
      guard let start = copy.baseAddress else { return seed }
      copy.initialize(repeating: 0)
      if let source = bytes.baseAddress { start.update(from: source, count: bytes.count) }
      return hash(start, count: bytes.count, seed: seed)
    }
  }

  @inline(__always)
  static func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    return product.high ^ product.low
  }
}

/// The key and the values of a typed query, while both are being written.
///
/// The draft uses memory of the connection. The connection reclaims the memory when the draft is
/// complete.
package struct StatementDraft {
  package var key: StatementKey
  package var values: BoundValues

  /// Makes a draft with its own memory, which the caller frees with `deallocate()`.
  package init() {
    key = StatementKey()
    key.begin(.shape)
    values = BoundValues()
  }

  init(key: StatementKey, values: BoundValues) {
    self.key = key
    self.values = values
  }

  package func deallocate() {
    key.deallocate()
    values.deallocate()
  }
}
