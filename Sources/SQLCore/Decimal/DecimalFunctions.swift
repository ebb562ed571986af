#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Registration {
  /// Exact arithmetic with decimal numbers. Every connection has these functions.
  ///
  /// | SQL | returns |
  /// |---|---|
  /// | `decimal(x)` | the number as text: no exponent, no redundant zeros |
  /// | `decimal_exp(x)` | the same with an exponent: `+1.2345e+02` |
  /// | `decimal_pow2(n)` | 2 to the power of an integer from −20,000 to 20,000, exactly; otherwise NULL |
  /// | `decimal_add(x, y)`, `decimal_sub(x, y)`, `decimal_mul(x, y)` | sum, difference, product |
  /// | `decimal_cmp(x, y)` | −1, 0 or 1 |
  /// | `decimal_sum(x)` | the sum of the values that are not NULL; also over a window |
  /// | `x COLLATE decimal` | text that is compared as numbers |
  ///
  /// Arguments may be text, INTEGER or REAL. A REAL is read as its shortest text, such as `0.1`. If
  /// an argument is NULL, the result is NULL. An argument that is not a decimal number is an error,
  /// except in `decimal_pow2`. Arguments may have up to 10,000 digits. A result can be read as a
  /// `Decimal` if it has no more than 38 digits. `COLLATE decimal` sorts text that is not a decimal
  /// number after every number.
  /// - SeeAlso: <https://www.sqlite.org/floatingpoint.html#the_decimal_c_extension>
  public static let decimal = Registration { registrar in
    let flags: FunctionFlags = [.deterministic, .innocuous]
    func add(
      _ name: String,
      _ calculate:
        @escaping @Sendable (DecimalNumber, DecimalNumber) throws ->
        DatabaseValue
    ) throws {
      try registrar.function(name, argumentCount: 2, flags) { arguments in
        guard let left = try arguments.decimal(at: 0), let right = try arguments.decimal(at: 1)
        else { return nil }
        return try calculate(left, right)
      }
    }
    try registrar.function("decimal", argumentCount: 1, flags) { arguments in
      try arguments.decimal(at: 0).map { .text($0.text) } ?? nil
    }
    try registrar.function("decimal_exp", argumentCount: 1, flags) { arguments in
      try arguments.decimal(at: 0).map { .text($0.exponentialText) } ?? nil
    }
    try registrar.function("decimal_pow2", argumentCount: 1, flags) { arguments in
      guard case .integer(let exponent) = try arguments.databaseValue(at: 0),
        (-20_000...20_000).contains(exponent)
      else { return nil }
      return .text(DecimalNumber(two: Int(exponent)).text)
    }
    try add("decimal_add") { .text(($0 + $1).text) }
    try add("decimal_sub") { .text(($0 - $1).text) }
    try add("decimal_mul") { .text(($0 * $1).text) }
    try add("decimal_cmp") { .integer(Int64(DecimalNumber.compare($0, $1).signum())) }
    try registrar.aggregate(
      "decimal_sum", argumentCount: 1, flags, initial: (sum: DecimalNumber.zero, count: 0)
    ) { (state: inout (sum: DecimalNumber, count: Int), arguments) in
      guard let number = try arguments.decimal(at: 0) else { return }
      state.sum = state.sum + number
      state.count += 1
    } inverse: { (state: inout (sum: DecimalNumber, count: Int), arguments) in
      guard let number = try arguments.decimal(at: 0) else { return }
      state.sum = state.sum - number
      state.count -= 1
    } result: { state in
      state.count > 0 ? .text(state.sum.text) : nil
    }
    try registrar.byteCollation("decimal") { left, right in
      left.withUnsafeBufferPointer { left in
        right.withUnsafeBufferPointer { right in compareAsDecimals(left, right) }
      }
    }
  }
}

/// Compares two texts as decimal numbers. A text that is not a number is greater than every number.
/// Two texts that are not numbers are compared byte by byte.
private func compareAsDecimals(
  _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>
) -> ComparisonResult {
  let order: Int
  switch (DecimalNumber(left), DecimalNumber(right)) {
  case (let a?, let b?): order = DecimalNumber.compare(a, b)
  case (_?, nil): order = -1
  case (nil, _?): order = 1
  case (nil, nil):
    order = left.elementsEqual(right) ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
  }
  return order == 0 ? .orderedSame : order < 0 ? .orderedAscending : .orderedDescending
}

extension Arguments {
  /// Returns the argument as a decimal number; nil for NULL.
  fileprivate func decimal(at index: Int) throws -> DecimalNumber? {
    let value = try databaseValue(at: index)
    let text: String
    switch value {
    case .null: return nil
    case .integer(let integer): text = String(integer)
    case .real(let real): text = String(real)
    case .text(let given): text = given
    case .blob, .invalidText: text = ""
    }
    guard let number = DecimalNumber(text.utf8) else {
      throw ColumnValueError(
        .invalid(expected: "a decimal number", found: "a value of \(value.storageClass.rawValue)"),
        column: "argument \(index + 1)")
    }
    return number
  }
}
