import SQLCore

// The values of definitions are literals, which SQLite must read as exactly the same values.

extension BoundValue {
  /// The value as SQL. Throws `ColumnValueError` for a value that cannot be stored, and
  /// `QueryError` for one that has no literal.
  var literal: String {
    get throws {
      switch self {
      case .zeroBlob(let count): return "zeroblob(\(count))"
      case .argument:
        throw QueryError("a definition in the schema cannot contain a parameter of `prepare`")
      case .array:
        throw QueryError("a definition in the schema cannot contain a list of values in raw SQL")
      case .value, .unstorable: return try databaseValue.literal
      }
    }
  }
}

extension DatabaseValue {
  /// The value as SQL that SQLite reads as exactly this value. Throws `QueryError` for a text with
  /// U+0000, at which SQLite would end the statement.
  var literal: String {
    get throws {
      switch self {
      case .text(let text) where text.utf8.contains(0):
        throw QueryError(
          "a definition in the schema cannot contain a text with U+0000: "
            + text.debugDescription)
      case .real(let value): return value.exactLiteral
      case .null, .integer, .text, .invalidText, .blob: return description
      }
    }
  }
}

extension Double {
  /// The shortest decimal number if SQLite is certain to read it as this number, else a quotient or
  /// a product that has exactly this value.
  ///
  /// SQLite's conversion of decimal numbers is exact for up to 15 digits. For more digits, the last
  /// bit may be wrong, differently from version to version and on each processor.
  /// - SeeAlso: <https://www.sqlite.org/floatingpoint.html>
  fileprivate var exactLiteral: String {
    let decimal = DatabaseValue.real(self).description
    guard isFinite, self != 0, !decimal.isShortDecimal else { return decimal }
    // Value = odd integer × 2^power, and the integer has at most 53 bits.
    let fraction = Double.significandBitCount
    var power = isNormal ? Int(exponent) - fraction : -1074
    var integer = significandBitPattern
    if isNormal { integer |= 1 << UInt64(fraction) }
    let zeros = integer.trailingZeroBitCount
    integer >>= UInt64(zeros)
    power += zeros
    let sign = power < 0 ? " / " : " * "
    var text = (self < 0 ? "-" : "") + "\(integer).0"
    var rest = power.magnitude
    while rest > 0 {
      // Powers of two up to 2^52 have 16 digits, which SQLite reads exactly.
      let step = Swift.min(rest, 52)
      text += "\(sign)\(UInt64(1) << UInt64(step)).0"
      rest -= step
    }
    return "(\(text))"
  }
}

extension String {
  /// Whether the decimal number has at most 15 digits and a small exponent.
  fileprivate var isShortDecimal: Bool {
    let parts = lowercased().split(separator: "e")
    guard let digits = parts.first, parts.count == 1 || (Int(parts[1]) ?? 99).magnitude <= 22 else {
      return false
    }
    let significant = digits.filter(\.isNumber).drop { $0 == "0" }
    return significant.count <= 15
  }
}
