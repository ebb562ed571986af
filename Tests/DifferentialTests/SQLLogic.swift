import Foundation
import SQLCore

// SQLite's operations on values in plain Swift, the reference of the differential test.
// https://www.sqlite.org/datatype3.html

/// True, false, or nil for unknown.
typealias Truth = Bool?

enum SQLLogic {
  /// SQLite's order of values: NULL, numbers by value, text by its bytes, then BLOBs by their
  /// bytes.
  static func order(_ left: DatabaseValue, _ right: DatabaseValue) -> Int {
    switch (left, right) {
    case (.null, .null): 0
    case (.null, _): -1
    case (_, .null): 1
    case (.blob(let a), .blob(let b)): order(a, b)
    case (.blob, _): 1
    case (_, .blob): -1
    case (.text(let a), .text(let b)): order(a.utf8, b.utf8)
    case (.invalidText(let a), .invalidText(let b)): order(a, b)
    case (.text(let a), .invalidText(let b)): order(a.utf8, b)
    case (.invalidText(let a), .text(let b)): order(a, b.utf8)
    case (.text, _), (.invalidText, _): 1
    case (_, .text), (_, .invalidText): -1
    case (.integer(let a), .integer(let b)): a < b ? -1 : a > b ? 1 : 0
    case (.real(let a), .real(let b)): a < b ? -1 : a > b ? 1 : 0
    case (.integer(let a), .real(let b)): order(a, b)
    case (.real(let a), .integer(let b)): -order(b, a)
    }
  }

  private static func order(_ integer: Int64, _ real: Double) -> Int {
    if real >= 9_223_372_036_854_775_808 { return -1 }
    if real < -9_223_372_036_854_775_808 { return 1 }
    let whole = Int64(real.rounded(.towardZero))
    if integer != whole { return integer < whole ? -1 : 1 }
    let rest = real - real.rounded(.towardZero)
    return rest > 0 ? -1 : rest < 0 ? 1 : 0
  }

  private static func order(
    _ left: some Collection<UInt8>, _ right: some Collection<UInt8>
  ) -> Int {
    for (a, b) in zip(left, right) where a != b { return a < b ? -1 : 1 }
    return left.count < right.count ? -1 : left.count > right.count ? 1 : 0
  }

  /// A comparison in three-valued logic: unknown if either value is NULL.
  static func compare(
    _ left: DatabaseValue, _ right: DatabaseValue, _ holds: (Int) -> Bool
  ) -> Truth {
    left.isNull || right.isNull ? nil : holds(order(left, right))
  }

  /// BETWEEN is `a >= low AND a <= high`.
  static func between(
    _ value: DatabaseValue, _ low: DatabaseValue, _ high: DatabaseValue
  ) -> Truth {
    and(compare(value, low) { $0 >= 0 }, compare(value, high) { $0 <= 0 })
  }

  /// IS: NULL equals NULL.
  static func isSame(_ left: DatabaseValue, _ right: DatabaseValue) -> Bool {
    order(left, right) == 0
  }

  static func and(_ left: Truth, _ right: Truth) -> Truth {
    left == false || right == false ? false : left == nil || right == nil ? nil : true
  }

  static func or(_ left: Truth, _ right: Truth) -> Truth {
    left == true || right == true ? true : left == nil || right == nil ? nil : false
  }

  /// + - * /: NULL if an operand is NULL or the divisor is zero; an integer overflow gives a REAL.
  static func calculate(
    _ sign: Character, _ left: DatabaseValue, _ right: DatabaseValue
  ) -> DatabaseValue {
    if case .integer(let a) = left, case .integer(let b) = right {
      let (result, overflow): (Int64, Bool)
      switch sign {
      case "+": (result, overflow) = a.addingReportingOverflow(b)
      case "-": (result, overflow) = a.subtractingReportingOverflow(b)
      case "*": (result, overflow) = a.multipliedReportingOverflow(by: b)
      default:
        if b == 0 { return .null }
        (result, overflow) = a.dividedReportingOverflow(by: b)
      }
      if !overflow { return .integer(result) }
    }
    guard let a = real(left), let b = real(right) else { return .null }
    let result: Double
    switch sign {
    case "+": result = a + b
    case "-": result = a - b
    case "*": result = a * b
    default:
      if b == 0 { return .null }
      result = a / b
    }
    return result.isNaN ? .null : .real(result)
  }

  /// The remainder of a division of whole numbers. Of a REAL the whole part counts.
  static func remainder(_ left: DatabaseValue, _ right: DatabaseValue) -> DatabaseValue {
    guard let a = whole(left), let b = whole(right), b != 0 else { return .null }
    // The remainder by -1 is 0; computing that of `Int64.min` would overflow.
    let rest = b == -1 ? 0 : a % b
    if case .integer = left, case .integer = right { return .integer(rest) }
    return .real(Double(rest))
  }

  /// A bitwise operation on two integers.
  static func bits(
    _ left: DatabaseValue, _ right: DatabaseValue, _ operation: (Int64, Int64) -> Int64
  ) -> DatabaseValue {
    guard let a = whole(left), let b = whole(right) else { return .null }
    return .integer(operation(a, b))
  }

  /// CAST AS INTEGER: a REAL loses its fraction and is clamped to 64 bits; a text gives the number
  /// that it begins with.
  static func whole(_ value: DatabaseValue) -> Int64? {
    switch value {
    case .integer(let integer): return integer
    case .real(let real):
      if real <= -9_223_372_036_854_775_808 { return .min }
      return real >= 9_223_372_036_854_775_808 ? .max : Int64(real)
    case .text(let text):
      let start = text.unicodeScalars.drop { $0 == " " }
      let sign = start.first == "-" || start.first == "+" ? 1 : 0
      let digits = start.dropFirst(sign).prefix { ("0"..."9").contains($0) }
      if digits.isEmpty { return 0 }
      let number = String(String.UnicodeScalarView(start.prefix(sign) + digits))
      return Int64(number) ?? (start.first == "-" ? .min : .max)
    default: return nil
    }
  }

  static func cast(toInteger value: DatabaseValue) -> DatabaseValue {
    whole(value).map { .integer($0) } ?? .null
  }

  static func absolute(_ value: DatabaseValue) -> DatabaseValue {
    switch value {
    case .integer(let integer): .integer(abs(integer))
    case .real(let real): .real(abs(real))
    default: .null
    }
  }

  static func sign(_ value: DatabaseValue) -> DatabaseValue {
    value.isNull ? .null : .integer(Int64(order(value, .integer(0))))
  }

  /// The whole seconds since 1970 of a date that is stored as microseconds, or as a REAL of
  /// seconds.
  static func unixSeconds(_ value: DatabaseValue) -> DatabaseValue {
    switch value {
    case .integer(let microseconds):
      .integer(microseconds / 1_000_000 - (microseconds % 1_000_000 < 0 ? 1 : 0))
    case .real(let seconds): .integer(Int64(seconds.rounded(.down)))
    default: .null
    }
  }

  static func typeName(_ value: DatabaseValue) -> DatabaseValue {
    switch value {
    case .null: "null"
    case .integer: "integer"
    case .real: "real"
    case .text, .invalidText: "text"
    case .blob: "blob"
    }
  }

  static func real(_ value: DatabaseValue) -> Double? {
    switch value {
    case .integer(let integer): Double(integer)
    case .real(let real): real
    default: nil
    }
  }
}
