import SQLCore

// What SQLite does with values, in plain Swift: the reference of the differential test.
// https://www.sqlite.org/datatype3.html

/// True, false, or unknown as nil.
typealias Truth = Bool?

enum SQLLogic {
  /// Which value comes first: NULL, numbers by value, text by its bytes.
  static func order(_ left: DatabaseValue, _ right: DatabaseValue) -> Int {
    switch (left, right) {
    case (.null, .null): 0
    case (.null, _): -1
    case (_, .null): 1
    case (.text(let a), .text(let b)): order(Array(a.utf8), Array(b.utf8))
    case (.text, _): 1
    case (_, .text): -1
    case (.integer(let a), .integer(let b)): a < b ? -1 : a > b ? 1 : 0
    case (.real(let a), .real(let b)): a < b ? -1 : a > b ? 1 : 0
    case (.integer(let a), .real(let b)): order(a, b)
    case (.real(let a), .integer(let b)): -order(b, a)
    default: 0
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

  private static func order(_ left: [UInt8], _ right: [UInt8]) -> Int {
    for (a, b) in zip(left, right) where a != b { return a < b ? -1 : 1 }
    return left.count < right.count ? -1 : left.count > right.count ? 1 : 0
  }

  /// A comparison of three values: unknown where one is NULL.
  static func compare(
    _ left: DatabaseValue, _ right: DatabaseValue, _ holds: (Int) -> Bool
  ) -> Truth {
    left.isNull || right.isNull ? nil : holds(order(left, right))
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

  /// + - * /: NULL for NULL and for a division by zero; integers that leave 64 bits become REAL.
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

  static func real(_ value: DatabaseValue) -> Double? {
    switch value {
    case .integer(let integer): Double(integer)
    case .real(let real): real
    default: nil
    }
  }

  /// How many scalars stand before the first U+0000.
  static func length(_ value: DatabaseValue) -> DatabaseValue {
    guard case .text(let text) = value else { return .null }
    return .integer(Int64(visible(text).count))
  }

  static func lower(_ value: DatabaseValue) -> DatabaseValue {
    guard case .text(let text) = value else { return .null }
    let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
      ("A"..."Z").contains(scalar) ? Unicode.Scalar(UInt8(scalar.value + 32)) : scalar
    }
    var lowered = String.UnicodeScalarView()
    lowered.append(contentsOf: scalars)
    return .text(String(lowered))
  }

  static func concat(_ left: DatabaseValue, _ right: DatabaseValue) -> DatabaseValue {
    guard case .text(let a) = left, case .text(let b) = right else { return .null }
    return .text(a + b)
  }

  /// LIKE sees what stands before U+0000, and takes the letters of ASCII without case.
  static func like(_ value: DatabaseValue, _ pattern: String) -> Truth {
    guard case .text(let text) = value else { return nil }
    func folded(_ scalars: [Unicode.Scalar]) -> [UInt32] {
      scalars.map { ("A"..."Z").contains($0) ? $0.value + 32 : $0.value }
    }
    return matches(folded(visible(text))[...], folded(visible(pattern))[...])
  }

  private static func matches(_ text: ArraySlice<UInt32>, _ pattern: ArraySlice<UInt32>) -> Bool {
    guard let first = pattern.first else { return text.isEmpty }
    if first == 37 {
      return (text.startIndex...text.endIndex).contains {
        matches(text[$0...], pattern.dropFirst())
      }
    }
    guard let next = text.first, first == 95 || first == next else { return false }
    return matches(text.dropFirst(), pattern.dropFirst())
  }

  private static func visible(_ text: String) -> [Unicode.Scalar] {
    Array(text.unicodeScalars.prefix { $0.value != 0 })
  }
}
