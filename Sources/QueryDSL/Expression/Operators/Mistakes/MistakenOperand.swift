import SQLCore

// What the operators that exist for their error messages tell apart. They are protocols, and not
// conditions on the value of an `SQLExpression`, because the compiler ranks the overloads of an
// operator by what it knows of the operands before it tries any: it looks at the conformances of an
// operand, but of a generic type only at the name. So it drops these overloads at once for operands
// that are right.

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

/// An expression of a number that may be NULL; programs do not use it directly.
public protocol _ExpressionOfOptionalNumber {}

extension SQLExpression: _ExpressionOfOptionalNumber
where Value: AdditiveColumnValue, Value._Nullability == _MaybeNull {}
