#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A decimal number with any number of digits, for exact arithmetic.
struct DecimalNumber: Sendable {
  /// The digits, 0 to 9, least significant first; empty for zero.
  private(set) var digits: [UInt8]
  /// The number of digits after the decimal point.
  private(set) var scale: Int
  private(set) var isNegative: Bool

  /// The maximum number of digits of a number that is parsed. Without this limit, a short text such
  /// as `1e999999999` would require a huge amount of memory.
  static let maximumDigits = 10_000

  static let zero = DecimalNumber(digits: [], scale: 0, isNegative: false)

  private init(digits: [UInt8], scale: Int, isNegative: Bool) {
    self.digits = digits
    self.scale = scale
    self.isNegative = isNegative
    trim()
  }

  /// Parses `[sign] digits [. digits] [E [sign] digits]`, without spaces. Returns nil for anything
  /// else, and for a number with too many digits.
  init?(_ text: some BidirectionalCollection<UInt8>) {
    var rest = text[...]
    isNegative = rest.first == UInt8(ascii: "-")
    if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") {
      rest = rest.dropFirst()
    }
    var digits: [UInt8] = []
    var scale = 0
    var hasPoint = false
    while let byte = rest.first {
      if (48...57).contains(byte) {
        digits.append(byte - 48)
        if hasPoint { scale += 1 }
        guard digits.count <= Self.maximumDigits else { return nil }
      } else if byte == UInt8(ascii: "."), !hasPoint {
        hasPoint = true
      } else {
        break
      }
      rest = rest.dropFirst()
    }
    guard !digits.isEmpty else { return nil }
    if let byte = rest.first {
      guard byte | 0x20 == UInt8(ascii: "e"),
        let exponent = Int(String(decoding: rest.dropFirst(), as: UTF8.self)),
        exponent.magnitude <= Self.maximumDigits
      else { return nil }
      scale -= exponent
    }
    self.digits = digits.reversed()
    if scale < 0 {
      self.digits = Array(repeating: 0, count: -scale) + self.digits
      scale = 0
    }
    self.scale = scale
    trim()
    guard max(self.digits.count, self.scale) <= Self.maximumDigits else { return nil }
  }

  /// Removes the zeros at both ends, so that equal numbers have equal digits.
  private mutating func trim() {
    while digits.last == 0 { digits.removeLast() }
    let zeros = min(digits.prefix { $0 == 0 }.count, scale)
    if zeros > 0 {
      digits.removeFirst(zeros)
      scale -= zeros
    }
    if digits.isEmpty { (scale, isNegative) = (0, false) }
  }

  /// The number without an exponent and without redundant zeros; `0` for zero.
  var text: String {
    guard !digits.isEmpty else { return "0" }
    var bytes: [UInt8] = isNegative ? [UInt8(ascii: "-")] : []
    let whole = digits.count - scale
    if whole <= 0 {
      bytes += [UInt8(ascii: "0"), UInt8(ascii: ".")]
      bytes += Array(repeating: UInt8(ascii: "0"), count: -whole)
    }
    for index in digits.indices.reversed() {
      bytes.append(digits[index] + 48)
      if index == scale, scale > 0 { bytes.append(UInt8(ascii: ".")) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The number with a sign, one digit before the point and at least one after it, and an exponent
  /// of at least two digits: `+1.2345e+02`.
  var exponentialText: String {
    let exponent = digits.isEmpty ? 0 : digits.count - scale - 1
    let significant = Array(digits.drop { $0 == 0 }.reversed())
    var bytes = [UInt8(ascii: isNegative ? "-" : "+"), (significant.first ?? 0) + 48]
    bytes.append(UInt8(ascii: "."))
    bytes += significant.count > 1 ? significant.dropFirst().map { $0 + 48 } : [48]
    let places = String(exponent.magnitude)
    return String(decoding: bytes, as: UTF8.self) + (exponent < 0 ? "e-" : "e+")
      + (places.count < 2 ? "0" : "") + places
  }

  // MARK: Arithmetic

  /// Makes a power of two. If the exponent is negative, computes a power of five and moves its
  /// decimal point, because 2⁻ⁿ = 5ⁿ ÷ 10ⁿ.
  init(two exponent: Int) {
    var (base, result) = (
      DecimalNumber(digits: [exponent < 0 ? 5 : 2], scale: 0, isNegative: false),
      DecimalNumber(digits: [1], scale: 0, isNegative: false)
    )
    var rest = exponent.magnitude
    while rest > 0 {
      if rest & 1 != 0 { result = result * base }
      rest >>= 1
      if rest > 0 { base = base * base }
    }
    self.init(
      digits: result.digits, scale: exponent < 0 ? -exponent : 0, isNegative: false)
  }

  static prefix func - (number: DecimalNumber) -> DecimalNumber {
    DecimalNumber(
      digits: number.digits, scale: number.scale, isNegative: !number.isNegative)
  }

  static func + (left: DecimalNumber, right: DecimalNumber) -> DecimalNumber {
    let scale = max(left.scale, right.scale)
    let (a, b) = (left.padded(to: scale), right.padded(to: scale))
    if left.isNegative == right.isNegative {
      return DecimalNumber(digits: add(a, b), scale: scale, isNegative: left.isNegative)
    }
    let isLeftGreater = compare(a, b) >= 0
    return DecimalNumber(
      digits: isLeftGreater ? subtract(a, b) : subtract(b, a), scale: scale,
      isNegative: isLeftGreater ? left.isNegative : right.isNegative)
  }

  static func - (left: DecimalNumber, right: DecimalNumber) -> DecimalNumber { left + -right }

  static func * (left: DecimalNumber, right: DecimalNumber) -> DecimalNumber {
    guard !left.digits.isEmpty, !right.digits.isEmpty else { return .zero }
    var sums = [Int](repeating: 0, count: left.digits.count + right.digits.count)
    for (i, a) in left.digits.enumerated() where a != 0 {
      for (j, b) in right.digits.enumerated() { sums[i + j] &+= Int(a) &* Int(b) }
    }
    var carry = 0
    let digits = sums.map { sum -> UInt8 in
      let value = sum &+ carry
      carry = value / 10
      return UInt8(truncatingIfNeeded: value % 10)
    }
    return DecimalNumber(
      digits: digits, scale: left.scale + right.scale,
      isNegative: left.isNegative != right.isNegative)
  }

  /// Returns a negative number, 0 or a positive number if the left number is less than, equal to or
  /// greater than the right number.
  static func compare(_ left: DecimalNumber, _ right: DecimalNumber) -> Int {
    guard left.isNegative == right.isNegative else { return left.isNegative ? -1 : 1 }
    let wholes = (left.digits.count - left.scale, right.digits.count - right.scale)
    var order = wholes.0 - wholes.1
    if order == 0 || left.digits.isEmpty || right.digits.isEmpty {
      let scale = max(left.scale, right.scale)
      order = compare(left.padded(to: scale), right.padded(to: scale))
    }
    return left.isNegative ? -order : order
  }

  private func padded(to scale: Int) -> [UInt8] {
    scale == self.scale ? digits : Array(repeating: 0, count: scale - self.scale) + digits
  }

  private static func compare(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var index = max(a.count, b.count)
    while index > 0 {
      index -= 1
      let (x, y) = (index < a.count ? a[index] : 0, index < b.count ? b[index] : 0)
      if x != y { return x < y ? -1 : 1 }
    }
    return 0
  }

  private static func add(_ a: [UInt8], _ b: [UInt8]) -> [UInt8] {
    var sum: [UInt8] = []
    sum.reserveCapacity(max(a.count, b.count) + 1)
    var carry: UInt8 = 0
    for index in 0..<max(a.count, b.count) {
      let value = (index < a.count ? a[index] : 0) + (index < b.count ? b[index] : 0) + carry
      sum.append(value % 10)
      carry = value / 10
    }
    sum.append(carry)
    return sum
  }

  /// Returns the difference of two numbers; the second must not be greater than the first.
  private static func subtract(_ a: [UInt8], _ b: [UInt8]) -> [UInt8] {
    var difference: [UInt8] = []
    difference.reserveCapacity(a.count)
    var borrow: UInt8 = 0
    for index in a.indices {
      let taken = (index < b.count ? b[index] : 0) + borrow
      borrow = a[index] < taken ? 1 : 0
      difference.append(a[index] + borrow * 10 - taken)
    }
    return difference
  }
}

extension Decimal {
  /// Returns the text in which Apus stores a decimal number: without an exponent, a plus sign or
  /// redundant zeros. Returns nil if the text is not a decimal number.
  package static func canonicalText(of text: String) -> String? {
    DecimalNumber(text.utf8)?.text
  }
}
