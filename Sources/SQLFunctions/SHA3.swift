import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Registration {
  /// The functions `sha3` and `sha3_query`, which give SHA-3 digests as BLOBs.
  ///
  /// `sha3(x)` and `sha3(x, size)` give the digest of text or bytes; a number counts as its text,
  /// and NULL gives NULL. `sha3_query(sql)` and `sha3_query(sql, size)` give the digest of a query:
  /// its text, and the storage classes and values of its rows, in their order.
  ///
  /// The size is 224, 256, 384 or 512 bits; the default is 256.
  /// - SeeAlso: <https://sqlite.org/src/file/ext/misc/shathree.c>
  public static let sha3 = Registration { registrar in
    let flags: FunctionFlags = [.deterministic, .innocuous]
    for count in 1...2 {
      try registrar.function("sha3", argumentCount: count, flags) { arguments in
        var sponge = try sponge(arguments)
        switch try arguments[0] {
        case .null: return nil
        case .blob(let bytes): sponge.absorb(bytes)
        case .text(let text): sponge.absorb(text.utf8)
        case let number: sponge.absorb(number.description.utf8)
        }
        return .blob(Data(sponge.finish()))
      }
      // The function runs any SQL that it is given, so it must not be called from views and
      // triggers, which another person may have written.
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

/// Returns the digest of the statement's text, then a letter for each row and value, followed by
/// the value's content.
private func digest(
  ofQuery text: String, _ sponge: Keccak, _ connection: Connection
) throws -> [UInt8] {
  var sponge = sponge
  let statement = try connection.prepare(SQL(unsafe: text))
  guard try statement.isReadOnly else {
    throw DatabaseError(
      code: .error, message: "sha3_query cannot run a statement that writes: \(text)")
  }
  func absorb(_ letter: Character, _ number: UInt64) {
    sponge.absorb(letter.utf8)
    sponge.absorb(withUnsafeBytes(of: number.bigEndian) { Array($0) })
  }
  sponge.absorb("S\(text.utf8.count):\(text)".utf8)
  while try statement.step() {
    sponge.absorb("R".utf8)
    for value in try statement.row().values {
      switch value {
      case .null: sponge.absorb("N".utf8)
      case .integer(let integer): absorb("I", UInt64(bitPattern: integer))
      case .real(let real): absorb("F", real.bitPattern)
      case .text(let text): sponge.absorb("T\(text.utf8.count):\(text)".utf8)
      case .invalidText(let bytes):
        sponge.absorb("T\(bytes.count):".utf8)
        sponge.absorb(bytes)
      case .blob(let bytes):
        sponge.absorb("B\(bytes.count):".utf8)
        sponge.absorb(bytes)
      }
    }
  }
  return sponge.finish()
}
