import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Registration {
  /// The functions `sha3`, `sha3_agg` and `sha3_query`, which give SHA-3 digests as BLOBs.
  ///
  /// `sha3(x)` and `sha3(x, size)` give the digest of the bytes of a text or BLOB. For a number, they
  /// give the digest of `CAST(x AS TEXT)`; for NULL, they give NULL.
  ///
  /// `sha3_query(sql)` and `sha3_query(sql, size)` give the digest of a query: of its text, and of
  /// the storage classes and values of its rows, in their order.
  ///
  /// `sha3_agg(x)` and `sha3_agg(x, size)` give the digest of the storage classes and values of `x`
  /// in a group, in the order in which SQLite visits the rows. They give NULL for a group without
  /// rows.
  ///
  /// The size is 224, 256, 384 or 512 bits; the default is 256.
  /// - SeeAlso: <https://sqlite.org/src/file/ext/misc/shathree.c>
  public static let sha3 = Registration { registrar in
    let flags: FunctionFlags = [.deterministic, .innocuous]
    for count in 1...2 {
      try registrar.function("sha3", argumentCount: count, flags) { arguments in
        var sponge = try sponge(arguments)
        switch try arguments.storageClass(at: 0) {
        case .null: return nil
        case .blob: sponge.absorb(try arguments.get(Data.self, at: 0))
        case .integer, .real, .text: try arguments.withText(at: 0) { sponge.absorb($0) }
        }
        return .blob(Data(sponge.finish()))
      }
      try registrar.aggregate(
        "sha3_agg", argumentCount: count, flags, initial: Keccak?.none
      ) { (state: inout Keccak?, arguments) in
        var sponge = try state ?? sponge(arguments)
        sponge.absorb(try arguments.databaseValue(at: 0))
        state = sponge
      } result: { state in
        guard var sponge = state else { return nil }
        return .blob(Data(sponge.finish()))
      }
      // The function runs any SQL, so views and triggers must not call it: they may come from an
      // untrusted file.
      try registrar.function("sha3_query", argumentCount: count, .directOnly) { arguments in
        guard case .text(let text) = try arguments[0] else { return nil }
        return .blob(Data(try digest(ofQuery: text, sponge(arguments), arguments.connection)))
      }
    }
  }
}

private func sponge(_ arguments: borrowing Arguments) throws -> Keccak {
  let bits = arguments.count > 1 ? try arguments.get(Int.self, at: 1) : 256
  guard [224, 256, 384, 512].contains(bits) else {
    throw DatabaseError(
      code: .error, message: "the size of a SHA-3 digest must be 224, 256, 384 or 512 bits")
  }
  return Keccak(bits: bits)
}

/// Returns the digest of a query. The digest covers the statement's text, and then each row: a
/// letter for the row, and a letter and the content for each of its values.
private func digest(
  ofQuery text: String, _ sponge: Keccak, _ connection: Connection
) throws -> [UInt8] {
  var sponge = sponge
  let statement = try connection.prepare(SQL(unsafe: text))
  guard try statement.isReadOnly else {
    throw DatabaseError(
      code: .error, message: "sha3_query cannot run a statement that writes: \(text)")
  }
  sponge.absorb("S\(text.utf8.count):\(text)".utf8)
  while try statement.step() {
    sponge.absorb("R".utf8)
    for value in try statement.row().values { sponge.absorb(value) }
  }
  return sponge.finish()
}

/// A SHA-3 hash function. It receives bytes in any number of calls, and then returns their digest.
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

  /// Adds a value to the digest: a letter for its storage class, and then its content.
  mutating func absorb(_ value: DatabaseValue) {
    switch value {
    case .null: absorb("N".utf8)
    case .integer(let integer): absorb("I", UInt64(bitPattern: integer))
    case .real(let real): absorb("F", real.bitPattern)
    case .text(let text): absorb("T\(text.utf8.count):\(text)".utf8)
    case .invalidText(let bytes):
      absorb("T\(bytes.count):".utf8)
      absorb(bytes)
    case .blob(let bytes):
      absorb("B\(bytes.count):".utf8)
      absorb(bytes)
    }
  }

  private mutating func absorb(_ letter: String, _ number: UInt64) {
    absorb(letter.utf8)
    absorb(withUnsafeBytes(of: number.bigEndian) { Array($0) })
  }

  /// Returns the digest. No more bytes can be added afterwards.
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

  /// The number of bits by which each lane of the state is rotated. These are triangular numbers
  /// modulo 64. They are assigned to the lanes in the order in which the step (x, y) → (y, 2x + 3y)
  /// visits the lanes.
  private static let rotations: [UInt64] = {
    var rotations = [UInt64](repeating: 0, count: 25)
    var (x, y) = (1, 0)
    for step in 0..<24 {
      rotations[x + 5 * y] = UInt64((step + 1) * (step + 2) / 2 % 64)
      (x, y) = (y, (2 * x + 3 * y) % 5)
    }
    return rotations
  }()

  /// The constants of the 24 rounds. For each constant, a shift register generates 7 bits, numbered
  /// by j from 0. Each of them becomes the bit 2^j − 1 of the constant.
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
