import SQLCore

extension StoredForm {
  /// Returns a date in this form that is `count` milliseconds later. A form of whole seconds moves
  /// by the seconds that are complete, rounded down.
  func dateNode(
    _ date: ExpressionNode, movedByMilliseconds count: ExpressionNode
  ) -> ExpressionNode {
    switch self {
    case .standard, .bytes, .uppercase:
      return .binary(.plus, date, .binary(.times, count, .constant("1000")))
    case .unixMilliseconds: return .binary(.plus, date, count)
    case .unixEpoch: return .binary(.plus, date, count.floorDivided(by: "1000"))
    case .unixSeconds, .referenceSeconds:
      return .binary(.plus, date, .binary(.divide, count, .constant("1000.0")))
    case .julianDay:
      return .binary(.plus, date, .binary(.divide, count, .constant("86400000.0")))
    case .datetimeSeconds, .iso8601Seconds:
      return dateNode(
        fromSeconds: .binary(.plus, wholeSeconds(of: date), count.floorDivided(by: "1000")),
        restOf: nil)
    case .iso8601: return text(date, movedBy: .binary(.times, count, .constant("1000")), digits: 6)
    case .iso8601Milliseconds, .datetime: return text(date, movedBy: count, digits: 3)
    }
  }

  /// Returns a date as text that is later by a number of its smallest units.
  private func text(
    _ date: ExpressionNode, movedBy count: ExpressionNode, digits: Int
  ) -> ExpressionNode {
    let second = "1" + String(repeating: "0", count: digits)
    let fraction = ExpressionNode.cast(
      .function("substr", [date, .constant("21"), .constant("\(digits)")]), .integer)
    let sum = ExpressionNode.binary(.plus, fraction, count)
    let carry = sum.floorDivided(by: second)
    let rest = ExpressionNode.binary(
      .minus, sum, .binary(.times, carry, .constant(second)))
    return text(
      fromSeconds: .binary(.plus, wholeSeconds(of: date), carry),
      fraction: .function("printf", [.constant("'%0\(digits)d'"), rest]))
  }
}

extension ExpressionNode {
  /// Returns the quotient of integers, rounded down; SQL's division rounds towards zero.
  fileprivate func floorDivided(by divisor: String) -> ExpressionNode {
    let divisor = ExpressionNode.constant(divisor)
    return .binary(
      .minus, .binary(.divide, self, divisor),
      .predicate(.compare(.less, .binary(.remainder, self, divisor), .constant("0"))))
  }
}
