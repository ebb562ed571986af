import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Words for a mistake of which the compiler alone speaks in riddles. They cost other predicates
// nothing, and a right use of `/` less than could be measured: see `ClientCompiler`.

extension SQLExpression where Value == Decimal {
  /// A quotient of decimals seldom has an end.
  @available(
    *, unavailable,
    message: "SQL has no exact quotient of decimal numbers: multiply, or divide in Swift"
  )
  public static func / (left: SQLExpression, right: Decimal) -> SQLExpression { left }

  /// A quotient of decimals seldom has an end.
  @available(
    *, unavailable,
    message: "SQL has no exact quotient of decimal numbers: multiply, or divide in Swift"
  )
  public static func / (left: SQLExpression, right: SQLExpression) -> SQLExpression { left }
}
