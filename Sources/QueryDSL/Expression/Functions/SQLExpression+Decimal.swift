import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// These overloads exist for their error messages: the compiler's own do not explain the mistake.
// They cost other predicates nothing to compile, and a valid use of `/` less than could be
// measured: see `ClientCompiler`.

extension SQLExpression where Value == Decimal {
  /// Not available: few quotients of decimals have a finite number of digits.
  @available(
    *, unavailable,
    message: "SQL has no exact quotient of decimal numbers: multiply, or divide in Swift"
  )
  public static func / (left: SQLExpression, right: Decimal) -> SQLExpression { left }

  /// Not available: few quotients of decimals have a finite number of digits.
  @available(
    *, unavailable,
    message: "SQL has no exact quotient of decimal numbers: multiply, or divide in Swift"
  )
  public static func / (left: SQLExpression, right: SQLExpression) -> SQLExpression { left }
}

extension SQLExpression where Value == Decimal? {
  /// Not available: few quotients of decimals have a finite number of digits.
  @available(
    *, unavailable,
    message: "SQL has no exact quotient of decimal numbers: multiply, or divide in Swift"
  )
  public static func / (left: SQLExpression, right: Decimal?) -> SQLExpression { left }

  /// Not available: few quotients of decimals have a finite number of digits.
  @available(
    *, unavailable,
    message: "SQL has no exact quotient of decimal numbers: multiply, or divide in Swift"
  )
  public static func / (left: SQLExpression, right: SQLExpression) -> SQLExpression { left }
}
