/// A generator of random numbers that a seed repeats.
struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// Creates one of many generators of a seed: each number of a trial has its own.
  init(seed: UInt64, number: Int) {
    state = seed &+ UInt64(bitPattern: Int64(number)) &* 0xd6e8_feb8_6659_fd93
    for _ in 0..<2 { _ = next() }
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}
