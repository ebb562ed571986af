import SQLCore

extension Collation: ExpressibleByStringLiteral {
  /// A collation by its name, from a literal.
  public init(stringLiteral name: String) { self.init(name) }
}

extension SQLExpression where Value: TextColumnValue {
  /// The text compared and ordered otherwise. SQL: `a COLLATE "NOCASE"`
  ///
  /// SQLite takes it for the collation of the whole operand in which it stands, at whatever depth: a
  /// CASE with a collated condition is itself compared so.
  /// - SeeAlso: <https://www.sqlite.org/datatype3.html#assigning_collating_sequences_from_sql>
  public func collate(_ collation: Collation) -> SQLExpression {
    SQLExpression(.collate(node, collation.name), form: form)
  }
}

extension SQLExpression {
  /// The value as another storage class. SQL: `CAST(a AS INTEGER)`
  ///
  /// Text that begins with no number is 0. What the cast gives is read as `type`, and a value that
  /// is none of it throws `ColumnValueError`. To a Decimal it is `decimal(a)`, and text that is no
  /// number throws `DatabaseError`.
  /// - SeeAlso: <https://www.sqlite.org/lang_expr.html#castexpr>
  @_disfavoredOverload
  public func cast<Result: ColumnValue>(to type: Result.Type) -> SQLExpression<Result> {
    SQLExpression<Result>(node.cast(to: type))
  }

  /// The value as another storage class, NULL where it is NULL. SQL: `CAST(a AS INTEGER)`
  public func cast<Wrapped: ColumnValue, Result: ColumnValue>(
    to type: Result.Type
  ) -> SQLExpression<Result?> where Value == Wrapped? {
    SQLExpression<Result?>(node.cast(to: type))
  }

  /// The name of its storage class: `null`, `integer`, `real`, `text` or `blob`. SQL: `typeof(a)`
  public func typeof() -> SQLExpression<String> {
    SQLExpression<String>(.function("typeof", [node]))
  }
}

extension SQLExpression where Value == Bool? {
  /// A condition as a value: true, false, or NULL where it is unknown. SQL: `(a > ?)`
  public init(_ predicate: SQLPredicate) {
    self.init(.predicate(predicate.node))
  }
}

extension SQLExpression where Value == Double {
  /// A random number from 0 up to 1. SQL: `((random() + 9223372036854775808.0) / …)`
  public static func random() -> SQLExpression {
    SQLExpression(
      .constant("((random() + 9223372036854775808.0) / 18446744073709551616.0)"))
  }
}

extension ExpressionNode {
  /// The expression as a number of the type's own functions, else by CAST.
  fileprivate func cast(to type: any ColumnValue.Type) -> ExpressionNode {
    if let functions = (type as? any AdditiveColumnValue.Type)?.arithmetic {
      return .function(functions.conversion, [self])
    }
    return .cast(self, type.storageClass)
  }
}
