/// The sponge construction of SHA-3: it absorbs bytes and then gives a digest.
///
/// - SeeAlso: <https://doi.org/10.6028/NIST.FIPS.202>
struct Keccak {
  private var lanes = [UInt64](repeating: 0, count: 25)
  private var position = 0
  private let rate: Int
  private let digestCount: Int

  /// - Parameter bits: 224, 256, 384 or 512.
  init(bits: Int) {
    digestCount = bits / 8
    rate = 200 - 2 * digestCount
  }

  mutating func absorb(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      lanes[position / 8] ^= UInt64(byte) << UInt64(position % 8 * 8)
      position += 1
      if position == rate {
        permute()
        position = 0
      }
    }
  }

  /// Returns the digest; the sponge cannot be used afterwards.
  mutating func finish() -> [UInt8] {
    lanes[position / 8] ^= 0x06 << UInt64(position % 8 * 8)
    lanes[(rate - 1) / 8] ^= 0x80 << UInt64((rate - 1) % 8 * 8)
    permute()
    return (0..<digestCount).map {
      UInt8(truncatingIfNeeded: lanes[$0 / 8] >> UInt64($0 % 8 * 8))
    }
  }

  private mutating func permute() {
    var columns = [UInt64](repeating: 0, count: 5)
    var moved = [UInt64](repeating: 0, count: 25)
    for constant in Self.roundConstants {
      for x in 0..<5 {
        columns[x] = lanes[x] ^ lanes[x + 5] ^ lanes[x + 10] ^ lanes[x + 15] ^ lanes[x + 20]
      }
      for x in 0..<5 {
        let mixed = columns[(x + 4) % 5] ^ rotated(columns[(x + 1) % 5], by: 1)
        for y in 0..<5 { lanes[x + 5 * y] ^= mixed }
      }
      for x in 0..<5 {
        for y in 0..<5 {
          moved[y + 5 * ((2 * x + 3 * y) % 5)] = rotated(
            lanes[x + 5 * y], by: Self.rotations[x + 5 * y])
        }
      }
      for y in 0..<5 {
        for x in 0..<5 {
          lanes[x + 5 * y] =
            moved[x + 5 * y] ^ (~moved[(x + 1) % 5 + 5 * y] & moved[(x + 2) % 5 + 5 * y])
        }
      }
      lanes[0] ^= constant
    }
  }

  private func rotated(_ lane: UInt64, by bits: UInt64) -> UInt64 {
    bits == 0 ? lane : lane << bits | lane >> (64 - bits)
  }

  /// The rotation of each lane: the triangular numbers along the walk (x, y) → (y, 2x + 3y).
  private static let rotations: [UInt64] = {
    var rotations = [UInt64](repeating: 0, count: 25)
    var (x, y) = (1, 0)
    for step in 0..<24 {
      rotations[x + 5 * y] = UInt64((step + 1) * (step + 2) / 2 % 64)
      (x, y) = (y, (2 * x + 3 * y) % 5)
    }
    return rotations
  }()

  /// The round constants: the bits of a shift register, at the places 2^j − 1 of each constant.
  private static let roundConstants: [UInt64] = {
    var register: UInt8 = 1
    return (0..<24).map { _ in
      var constant: UInt64 = 0
      for j in 0..<7 {
        if register & 1 != 0 { constant |= 1 << UInt64(1 << j - 1) }
        register = register & 0x80 != 0 ? register << 1 ^ 0x71 : register << 1
      }
      return constant
    }
  }()
}
