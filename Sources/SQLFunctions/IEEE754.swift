import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Registration {
  /// The functions that split a floating-point number into two parts, an integer and an exponent.
  /// The number is the integer times two to the power of the exponent.
  ///
  /// | SQL | gives |
  /// |---|---|
  /// | `ieee754(x)` | the parts as text: `ieee754(45.25)` is `ieee754(181,-2)` |
  /// | `ieee754(m, e)` | the number m × 2^e |
  /// | `ieee754_mantissa(x)`, `ieee754_exponent(x)` | the integer, and the exponent of two |
  /// | `ieee754_to_blob(x)`, `ieee754_from_blob(b)` | the 8 bytes, big-endian, and back |
  /// | `ieee754_to_int(x)`, `ieee754_from_int(i)` | the same bits as an INTEGER, and back; NULL for any other storage class |
  /// | `ieee754_inc(x, n)` | the representable number n steps further from zero; nearer to zero if n is negative |
  ///
  /// Except in `ieee754_to_int`, each `x` may also be a BLOB with the 8 bytes of the number. The
  /// result for NULL is NULL.
  /// - SeeAlso: <https://www.sqlite.org/floatingpoint.html#the_ieee754_c_extension>
  public static let ieee754 = Registration { registrar in
    let flags: FunctionFlags = [.deterministic, .innocuous]
    func add(
      _ name: String, _ body: @escaping @Sendable (Double) -> DatabaseValue
    ) throws {
      try registrar.function(name, argumentCount: 1, flags) { arguments in
        guard let number = try number(arguments[0]) else { return nil }
        return body(number)
      }
    }
    try add("ieee754") { number in
      let (mantissa, exponent) = parts(of: number)
      return .text("ieee754(\(mantissa),\(exponent))")
    }
    try registrar.function("ieee754", flags) { (mantissa: Int64?, exponent: Int64?) -> Double? in
      guard let mantissa, let exponent else { return nil }
      return Double(
        sign: mantissa < 0 ? .minus : .plus, exponent: Int(max(-10_000, min(10_000, exponent))),
        significand: Double(mantissa.magnitude))
    }
    try add("ieee754_mantissa") { .integer(parts(of: $0).mantissa) }
    try add("ieee754_exponent") { .integer(parts(of: $0).exponent) }
    try add("ieee754_to_blob") { number in
      .blob(withUnsafeBytes(of: number.bitPattern.bigEndian) { Data($0) })
    }
    try registrar.function("ieee754_to_int", argumentCount: 1, flags) { arguments in
      guard case .real(let real) = try arguments[0] else { return nil }
      return .integer(Int64(bitPattern: real.bitPattern))
    }
    try registrar.function("ieee754_from_int", argumentCount: 1, flags) { arguments in
      guard case .integer(let bits) = try arguments[0] else { return nil }
      return real(ofBits: bits)
    }
    try registrar.function("ieee754_inc", argumentCount: 2, flags) { arguments in
      guard let number = try number(arguments[0]), case .integer(let steps) = try arguments[1]
      else { return nil }
      return real(ofBits: Int64(bitPattern: number.bitPattern) &+ steps)
    }
    try registrar.function("ieee754_from_blob", argumentCount: 1, flags) { arguments in
      guard case .blob = try arguments[0], let number = try number(arguments[0]), !number.isNaN
      else { return nil }
      return .real(number)
    }
  }
}

/// Returns the floating-point number with these bits; NULL if the bits stand for NaN.
private func real(ofBits bits: Int64) -> DatabaseValue {
  let real = Double(bitPattern: UInt64(bitPattern: bits))
  return real.isNaN ? .null : .real(real)
}

/// Returns the floating-point number that an SQL value stands for; nil for NULL. The value is a
/// number, or a BLOB with the 8 bytes of one.
private func number(_ value: DatabaseValue) throws -> Double? {
  switch value {
  case .real(let real): real
  case .integer(let integer): Double(integer)
  case .blob(let bytes) where bytes.count == 8:
    Double(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
  case .null: nil
  default: throw ColumnValueError.invalid(value, as: Double.self)
  }
}

/// Returns an integer and an exponent. The number is the integer times two to the power of the
/// exponent. The integer is odd if the number has a fraction. A whole number below 2⁵³ has the
/// exponent 0. Infinity and NaN have the greatest exponent.
private func parts(of number: Double) -> (mantissa: Int64, exponent: Int64) {
  let magnitude = number.magnitude.bitPattern
  guard magnitude != 0 else { return (0, 0) }
  var exponent = Int64(magnitude >> 52)
  var mantissa = Int64(magnitude & (1 << 52 - 1))
  if exponent == 0 { exponent = 1 } else { mantissa |= 1 << 52 }
  let zeros = min(Int64(mantissa.trailingZeroBitCount), max(0, 1_075 - exponent))
  mantissa >>= zeros
  exponent += zeros
  return (number.sign == .minus ? -mantissa : mantissa, exponent - 1_075)
}
