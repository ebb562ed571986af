import SQLCore

// Some operators exist only for their error messages. Protocols distinguish their operands, because
// conditions on the value type of an `SQLExpression` would make compiling slower. Before the
// compiler tries an overload, it checks the protocols to which an operand conforms, but not the
// arguments of a generic type. If the operands are correct, the compiler therefore drops these
// overloads at once.

/// An expression that is not a number; programs do not use it directly.
public protocol _ExpressionOfNoNumber {}

extension SQLExpression: _ExpressionOfNoNumber where Value._Arithmetic == _NotANumberKind {}

/// An expression of a type such as Decimal, which arithmetic combines only with the same type;
/// programs do not use it directly.
public protocol _ExpressionOfSeparateNumber {
  /// Whether the operand may be NULL; programs do not use it directly.
  associatedtype _Nullability
}

extension SQLExpression: _ExpressionOfSeparateNumber
where Value: AdditiveColumnValue, Value._Arithmetic: _SeparateNumberKind {
  /// Whether the operand may be NULL; programs do not use it directly.
  public typealias _Nullability = Value._Nullability
}

/// An integer other than Int, or an expression of such an integer; programs do not use it directly.
///
/// Values conform to the protocol as well, so that one overload rejects values and expressions.
public protocol _SizedIntegerOperand {
  /// Whether the operand may be NULL; programs do not use it directly.
  associatedtype _Nullability
}

extension SQLExpression: _SizedIntegerOperand
where Value: AdditiveColumnValue, Value._Arithmetic == _SizedIntegerKind {
  /// Whether the operand may be NULL; programs do not use it directly.
  public typealias _Nullability = Value._Nullability
}

extension Int8: _SizedIntegerOperand {}
extension Int16: _SizedIntegerOperand {}
extension Int32: _SizedIntegerOperand {}
extension Int64: _SizedIntegerOperand {}
extension UInt: _SizedIntegerOperand {}
extension UInt8: _SizedIntegerOperand {}
extension UInt16: _SizedIntegerOperand {}
extension UInt32: _SizedIntegerOperand {}
extension UInt64: _SizedIntegerOperand {}
extension Optional: _SizedIntegerOperand where Wrapped: _SizedIntegerOperand & ColumnValue {}

/// A number that may be NULL, or an expression of such a number; programs do not use it directly.
public protocol _OptionalNumberOperand {}

extension SQLExpression: _OptionalNumberOperand
where Value: AdditiveColumnValue, Value._Nullability == _MaybeNull {}

extension Optional: _OptionalNumberOperand where Wrapped: AdditiveColumnValue {}
