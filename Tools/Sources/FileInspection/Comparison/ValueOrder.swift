import Apus

extension DatabaseValue {
  /// Compares two values in the order in which SQLite sorts them under the collation BINARY: NULL,
  /// numbers, text, BLOBs. Returns a negative number if this value comes before the other, 0 if
  /// they are equal, and otherwise a positive number.
  /// - SeeAlso: <https://www.sqlite.org/datatype3.html#comparisons>
  package func compare(_ other: DatabaseValue) -> Int {
    switch (self, other) {
    case (.integer(let a), .integer(let b)): a < b ? -1 : a > b ? 1 : 0
    case (.real(let a), .real(let b)): a < b ? -1 : a > b ? 1 : 0
    case (.integer(let a), .real(let b)): Self.compare(a, b)
    case (.real(let a), .integer(let b)): -Self.compare(b, a)
    case (.text(let a), .text(let b)): Self.compare(a.utf8, b.utf8)
    case (.blob(let a), .blob(let b)), (.invalidText(let a), .invalidText(let b)):
      Self.compare(a, b)
    case (.text(let a), .invalidText(let b)): Self.compare(a.utf8, b)
    case (.invalidText(let a), .text(let b)): Self.compare(a, b.utf8)
    default: rank - other.rank
    }
  }

  private var rank: Int {
    switch self {
    case .null: 0
    case .integer, .real: 1
    case .text, .invalidText: 2
    case .blob: 3
    }
  }

  /// Compares an INTEGER with a REAL exactly. An INTEGER that no `Double` represents is not
  /// rounded.
  private static func compare(_ integer: Int64, _ real: Double) -> Int {
    guard let whole = Int64(exactly: real.rounded(.down)) else { return real > 0 ? -1 : 1 }
    if integer != whole { return integer < whole ? -1 : 1 }
    return real > real.rounded(.down) ? -1 : 0
  }

  private static func compare(
    _ first: some Collection<UInt8>, _ second: some Collection<UInt8>
  ) -> Int {
    first.lexicographicallyPrecedes(second)
      ? -1 : second.lexicographicallyPrecedes(first) ? 1 : 0
  }
}
