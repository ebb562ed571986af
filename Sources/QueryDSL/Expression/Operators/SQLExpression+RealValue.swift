import SQLCore

// An integer beside a value of Double gives a real number, as beside an expression of Double.
//
// The overloads are disfavoured, so that `$0.$views * 2` stays an integer. The type of the value is
// generic and not Double, so that the compiler takes `2` for an Int first. It takes it for a Double
// only if the result must be one: `$0.$half = $0.$views / 2` divides real numbers.

/// Double; programs do not use it directly.
public protocol _RealValue: ColumnValue {}

extension Double: _RealValue {}

extension SQLExpression where Value: FixedWidthInteger & NumericColumnValue {
  /// Returns the sum of an integer and a real number as a real number. SQL: `a + ?`
  @_disfavoredOverload
  public static func + <Real: _RealValue>(
    left: SQLExpression, right: Real
  ) -> SQLExpression<Double> {
    SQLExpression<Double>(.binary(.plus, left.node, .value(BoundValue(right))))
  }

  /// Returns the sum of a real number and an integer as a real number. SQL: `? + a`
  @_disfavoredOverload
  public static func + <Real: _RealValue>(
    left: Real, right: SQLExpression
  ) -> SQLExpression<Double> {
    SQLExpression<Double>(.binary(.plus, .value(BoundValue(left)), right.node))
  }

  /// Returns the difference of an integer and a real number as a real number. SQL: `a - ?`
  @_disfavoredOverload
  public static func - <Real: _RealValue>(
    left: SQLExpression, right: Real
  ) -> SQLExpression<Double> {
    SQLExpression<Double>(.binary(.minus, left.node, .value(BoundValue(right))))
  }

  /// Returns the difference of a real number and an integer as a real number. SQL: `? - a`
  @_disfavoredOverload
  public static func - <Real: _RealValue>(
    left: Real, right: SQLExpression
  ) -> SQLExpression<Double> {
    SQLExpression<Double>(.binary(.minus, .value(BoundValue(left)), right.node))
  }

  /// Returns the product of an integer and a real number as a real number. SQL: `a * ?`
  @_disfavoredOverload
  public static func * <Real: _RealValue>(
    left: SQLExpression, right: Real
  ) -> SQLExpression<Double> {
    SQLExpression<Double>(.binary(.times, left.node, .value(BoundValue(right))))
  }

  /// Returns the product of a real number and an integer as a real number. SQL: `? * a`
  @_disfavoredOverload
  public static func * <Real: _RealValue>(
    left: Real, right: SQLExpression
  ) -> SQLExpression<Double> {
    SQLExpression<Double>(.binary(.times, .value(BoundValue(left)), right.node))
  }

  /// Returns the quotient of an integer and a real number as a real number. SQL: `a / ?`
  @_disfavoredOverload
  public static func / <Real: _RealValue>(
    left: SQLExpression, right: Real
  ) -> SQLExpression<Double> {
    SQLExpression<Double>(.binary(.divide, left.node, .value(BoundValue(right))))
  }

  /// Returns the quotient of a real number and an integer as a real number. SQL: `? / a`
  @_disfavoredOverload
  public static func / <Real: _RealValue>(
    left: Real, right: SQLExpression
  ) -> SQLExpression<Double> {
    SQLExpression<Double>(.binary(.divide, .value(BoundValue(left)), right.node))
  }
}

extension SQLExpression {
  /// Returns the sum of an integer and a real number as a real number. SQL: `a + ?`
  @_disfavoredOverload
  public static func + <Integer: FixedWidthInteger & NumericColumnValue, Real: _RealValue>(
    left: SQLExpression, right: Real
  ) -> SQLExpression<Double?>
  where Value == Integer? {
    SQLExpression<Double?>(.binary(.plus, left.node, .value(BoundValue(right))))
  }

  /// Returns the sum of a real number and an integer as a real number. SQL: `? + a`
  @_disfavoredOverload
  public static func + <Integer: FixedWidthInteger & NumericColumnValue, Real: _RealValue>(
    left: Real, right: SQLExpression
  ) -> SQLExpression<Double?>
  where Value == Integer? {
    SQLExpression<Double?>(.binary(.plus, .value(BoundValue(left)), right.node))
  }

  /// Returns the difference of an integer and a real number as a real number. SQL: `a - ?`
  @_disfavoredOverload
  public static func - <Integer: FixedWidthInteger & NumericColumnValue, Real: _RealValue>(
    left: SQLExpression, right: Real
  ) -> SQLExpression<Double?>
  where Value == Integer? {
    SQLExpression<Double?>(.binary(.minus, left.node, .value(BoundValue(right))))
  }

  /// Returns the difference of a real number and an integer as a real number. SQL: `? - a`
  @_disfavoredOverload
  public static func - <Integer: FixedWidthInteger & NumericColumnValue, Real: _RealValue>(
    left: Real, right: SQLExpression
  ) -> SQLExpression<Double?>
  where Value == Integer? {
    SQLExpression<Double?>(.binary(.minus, .value(BoundValue(left)), right.node))
  }

  /// Returns the product of an integer and a real number as a real number. SQL: `a * ?`
  @_disfavoredOverload
  public static func * <Integer: FixedWidthInteger & NumericColumnValue, Real: _RealValue>(
    left: SQLExpression, right: Real
  ) -> SQLExpression<Double?>
  where Value == Integer? {
    SQLExpression<Double?>(.binary(.times, left.node, .value(BoundValue(right))))
  }

  /// Returns the product of a real number and an integer as a real number. SQL: `? * a`
  @_disfavoredOverload
  public static func * <Integer: FixedWidthInteger & NumericColumnValue, Real: _RealValue>(
    left: Real, right: SQLExpression
  ) -> SQLExpression<Double?>
  where Value == Integer? {
    SQLExpression<Double?>(.binary(.times, .value(BoundValue(left)), right.node))
  }

  /// Returns the quotient of an integer and a real number as a real number. SQL: `a / ?`
  @_disfavoredOverload
  public static func / <Integer: FixedWidthInteger & NumericColumnValue, Real: _RealValue>(
    left: SQLExpression, right: Real
  ) -> SQLExpression<Double?>
  where Value == Integer? {
    SQLExpression<Double?>(.binary(.divide, left.node, .value(BoundValue(right))))
  }

  /// Returns the quotient of a real number and an integer as a real number. SQL: `? / a`
  @_disfavoredOverload
  public static func / <Integer: FixedWidthInteger & NumericColumnValue, Real: _RealValue>(
    left: Real, right: SQLExpression
  ) -> SQLExpression<Double?>
  where Value == Integer? {
    SQLExpression<Double?>(.binary(.divide, .value(BoundValue(left)), right.node))
  }
}
