import SQLCore

// An integer beside a value of Double gives a real number, as beside an expression of Double.
//
// The type of the value is generic and not Double, so that the compiler takes `2` for an Int first:
// `$0.$views * 2` stays an integer. `$0.$half = $0.$views / 2` does not compile, as in Swift,
// because the overloads of `ResultHasAnotherType.swift` come before overloads that take 2 for a
// Double.
//
// The overloads are not disfavoured, because after a disfavoured overload the compiler would go on
// searching.
//
// The type of the result is Double, written as a generic parameter for the reason in
// `SQLExpression+MixedArithmetic.swift`.

/// Double; programs do not use it directly.
public protocol _RealValue: NumericColumnValue {}

extension Double: _RealValue {}

extension SQLExpression where Value: FixedWidthInteger & NumericColumnValue {
  /// Returns the sum of an integer and a real number as a real number. SQL: `a + ?`
  public static func + <Real: _RealValue>(
    left: SQLExpression, right: Real
  ) -> SQLExpression<Value.RealResult> {
    SQLExpression<Value.RealResult>(.binary(.plus, left.node, .value(BoundValue(right))))
  }

  /// Returns the sum of a real number and an integer as a real number. SQL: `? + a`
  public static func + <Real: _RealValue>(
    left: Real, right: SQLExpression
  ) -> SQLExpression<Value.RealResult> {
    SQLExpression<Value.RealResult>(.binary(.plus, .value(BoundValue(left)), right.node))
  }

  /// Returns the difference of an integer and a real number as a real number. SQL: `a - ?`
  public static func - <Real: _RealValue>(
    left: SQLExpression, right: Real
  ) -> SQLExpression<Value.RealResult> {
    SQLExpression<Value.RealResult>(.binary(.minus, left.node, .value(BoundValue(right))))
  }

  /// Returns the difference of a real number and an integer as a real number. SQL: `? - a`
  public static func - <Real: _RealValue>(
    left: Real, right: SQLExpression
  ) -> SQLExpression<Value.RealResult> {
    SQLExpression<Value.RealResult>(.binary(.minus, .value(BoundValue(left)), right.node))
  }

  /// Returns the product of an integer and a real number as a real number. SQL: `a * ?`
  public static func * <Real: _RealValue>(
    left: SQLExpression, right: Real
  ) -> SQLExpression<Value.RealResult> {
    SQLExpression<Value.RealResult>(.binary(.times, left.node, .value(BoundValue(right))))
  }

  /// Returns the product of a real number and an integer as a real number. SQL: `? * a`
  public static func * <Real: _RealValue>(
    left: Real, right: SQLExpression
  ) -> SQLExpression<Value.RealResult> {
    SQLExpression<Value.RealResult>(.binary(.times, .value(BoundValue(left)), right.node))
  }

  /// Returns the quotient of an integer and a real number as a real number. SQL: `a / ?`
  public static func / <Real: _RealValue>(
    left: SQLExpression, right: Real
  ) -> SQLExpression<Value.RealResult> {
    SQLExpression<Value.RealResult>(.binary(.divide, left.node, .value(BoundValue(right))))
  }

  /// Returns the quotient of a real number and an integer as a real number. SQL: `? / a`
  public static func / <Real: _RealValue>(
    left: Real, right: SQLExpression
  ) -> SQLExpression<Value.RealResult> {
    SQLExpression<Value.RealResult>(.binary(.divide, .value(BoundValue(left)), right.node))
  }
}

extension SQLExpression {
  /// Returns the sum of an integer and a real number as a real number. SQL: `a + ?`
  public static func + <Integer: FixedWidthInteger & NumericColumnValue, Real: _RealValue>(
    left: SQLExpression, right: Real
  ) -> SQLExpression<Integer.RealResult?>
  where Value == Integer? {
    SQLExpression<Integer.RealResult?>(.binary(.plus, left.node, .value(BoundValue(right))))
  }

  /// Returns the sum of a real number and an integer as a real number. SQL: `? + a`
  public static func + <Integer: FixedWidthInteger & NumericColumnValue, Real: _RealValue>(
    left: Real, right: SQLExpression
  ) -> SQLExpression<Integer.RealResult?>
  where Value == Integer? {
    SQLExpression<Integer.RealResult?>(.binary(.plus, .value(BoundValue(left)), right.node))
  }

  /// Returns the difference of an integer and a real number as a real number. SQL: `a - ?`
  public static func - <Integer: FixedWidthInteger & NumericColumnValue, Real: _RealValue>(
    left: SQLExpression, right: Real
  ) -> SQLExpression<Integer.RealResult?>
  where Value == Integer? {
    SQLExpression<Integer.RealResult?>(.binary(.minus, left.node, .value(BoundValue(right))))
  }

  /// Returns the difference of a real number and an integer as a real number. SQL: `? - a`
  public static func - <Integer: FixedWidthInteger & NumericColumnValue, Real: _RealValue>(
    left: Real, right: SQLExpression
  ) -> SQLExpression<Integer.RealResult?>
  where Value == Integer? {
    SQLExpression<Integer.RealResult?>(.binary(.minus, .value(BoundValue(left)), right.node))
  }

  /// Returns the product of an integer and a real number as a real number. SQL: `a * ?`
  public static func * <Integer: FixedWidthInteger & NumericColumnValue, Real: _RealValue>(
    left: SQLExpression, right: Real
  ) -> SQLExpression<Integer.RealResult?>
  where Value == Integer? {
    SQLExpression<Integer.RealResult?>(.binary(.times, left.node, .value(BoundValue(right))))
  }

  /// Returns the product of a real number and an integer as a real number. SQL: `? * a`
  public static func * <Integer: FixedWidthInteger & NumericColumnValue, Real: _RealValue>(
    left: Real, right: SQLExpression
  ) -> SQLExpression<Integer.RealResult?>
  where Value == Integer? {
    SQLExpression<Integer.RealResult?>(.binary(.times, .value(BoundValue(left)), right.node))
  }

  /// Returns the quotient of an integer and a real number as a real number. SQL: `a / ?`
  public static func / <Integer: FixedWidthInteger & NumericColumnValue, Real: _RealValue>(
    left: SQLExpression, right: Real
  ) -> SQLExpression<Integer.RealResult?>
  where Value == Integer? {
    SQLExpression<Integer.RealResult?>(.binary(.divide, left.node, .value(BoundValue(right))))
  }

  /// Returns the quotient of a real number and an integer as a real number. SQL: `? / a`
  public static func / <Integer: FixedWidthInteger & NumericColumnValue, Real: _RealValue>(
    left: Real, right: SQLExpression
  ) -> SQLExpression<Integer.RealResult?>
  where Value == Integer? {
    SQLExpression<Integer.RealResult?>(.binary(.divide, .value(BoundValue(left)), right.node))
  }
}
