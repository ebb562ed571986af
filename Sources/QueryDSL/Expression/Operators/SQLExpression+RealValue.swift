import SQLCore

// Arithmetic of an integer and a Double value gives a real number, like arithmetic with an
// expression of Double. The overloads guide the compiler in three ways:
//
// - The type of the value is a generic parameter instead of Double. The compiler therefore reads
//   `2` as an Int first, and `$0.$views * 2` stays an integer. As in Swift,
//   `$0.$half = $0.$views / 2` does not compile: the compiler prefers the overloads of
//   `ResultHasAnotherType.swift` to overloads that read 2 as a Double.
// - The overloads are not disfavoured, because the compiler would continue its search after a
//   disfavoured overload.
// - The results have the type Double, but the overloads declare it as `RealResult`, a type that
//   depends on a generic parameter. `SQLExpression+MixedArithmetic.swift` says why.

/// The protocol of `Double`; programs do not use it directly.
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
