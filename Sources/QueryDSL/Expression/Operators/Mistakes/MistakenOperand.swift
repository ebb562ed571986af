import SQLCore

// The operators that exist for their error messages tell their operands apart by these protocols, and
// not by conditions on the value of an `SQLExpression`. Before the compiler tries an overload, it
// ranks all of them by what it knows of the operands. It looks at the protocols to which an operand
// conforms, but not into a generic type. So it drops these overloads at once if the operands are
// right.

/// An expression that is not a number; programs do not use it directly.
public protocol _ExpressionOfNoNumber {}

extension SQLExpression: _ExpressionOfNoNumber where Value._Arithmetic == _NotANumberKind {}

/// An expression of a number that goes only with its own type; programs do not use it directly.
public protocol _ExpressionOfSeparateNumber {
  /// Whether it may be NULL; programs do not use it directly.
  associatedtype _Nullability
}

extension SQLExpression: _ExpressionOfSeparateNumber
where Value: AdditiveColumnValue, Value._Arithmetic: _SeparateNumberKind {
  /// Whether it may be NULL; programs do not use it directly.
  public typealias _Nullability = Value._Nullability
}

/// An expression of an integer other than Int; programs do not use it directly.
public protocol _ExpressionOfSizedInteger {
  /// Whether it may be NULL; programs do not use it directly.
  associatedtype _Nullability
}

extension SQLExpression: _ExpressionOfSizedInteger
where Value: AdditiveColumnValue, Value._Arithmetic == _SizedIntegerKind {
  /// Whether it may be NULL; programs do not use it directly.
  public typealias _Nullability = Value._Nullability
}

/// An expression of a number that may be NULL; programs do not use it directly.
public protocol _ExpressionOfOptionalNumber {}

extension SQLExpression: _ExpressionOfOptionalNumber
where Value: AdditiveColumnValue, Value._Nullability == _MaybeNull {}
