/// A hash of a statement's key, in the manner of wyhash: one multiplication of 64 × 64 bits for
/// each 16 bytes, with a seed that differs from connection to connection.
enum KeyHash {
  /// Returns the hash of `count` bytes. The 16 bytes after them must be readable; their content
  /// does not matter.
  static func hash(_ start: UnsafePointer<UInt8>, count: Int, seed: UInt64) -> UInt64 {
    var position = UnsafeRawPointer(start)
    var remaining = count
    // The count is multiplied so that one more byte and one flipped bit cannot cancel each other
    // out.
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

  @inline(__always)
  private static func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    return product.high ^ product.low
  }
}
