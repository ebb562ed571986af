/// A hash of a statement's key, in the manner of wyhash: two multiplications of 64 × 64 bits for
/// each 16 bytes, and a seed that differs from process to process.
enum KeyHash {
  private static let seed = UInt64.random(in: .min ... .max)

  static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    guard var position = bytes.baseAddress else { return seed }
    var remaining = bytes.count
    // Multiplied, so that a byte more and a bit less do not cancel each other.
    var state = seed ^ (UInt64(truncatingIfNeeded: remaining) &* 0x9E37_79B9_7F4A_7C15)
    while remaining >= 16 {
      state = mix(
        position.loadUnaligned(as: UInt64.self) ^ 0xA076_1D64_78BD_642F,
        position.loadUnaligned(fromByteOffset: 8, as: UInt64.self) ^ state)
      position += 16
      remaining -= 16
    }
    var low: UInt64 = 0
    var high: UInt64 = 0
    if remaining >= 8 {
      low = position.loadUnaligned(as: UInt64.self)
      high = tail(position + 8, count: remaining - 8)
    } else {
      low = tail(position, count: remaining)
    }
    return mix(low ^ 0xE703_7ED1_A0B4_28DB, high ^ state ^ 0x8EBC_6AF0_9C88_C6E3)
  }

  @inline(__always)
  private static func tail(_ start: UnsafeRawPointer, count: Int) -> UInt64 {
    var value: UInt64 = 0
    for offset in 0..<count {
      value |= UInt64(start.load(fromByteOffset: offset, as: UInt8.self)) << (8 * UInt64(offset))
    }
    return value
  }

  @inline(__always)
  private static func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    return product.high ^ product.low
  }
}
