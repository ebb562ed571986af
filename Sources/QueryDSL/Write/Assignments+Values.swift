import SQLCore

// Overloads that assign Swift values. Their types guide the overload resolution of the compiler:
//
// - All overloads are disfavoured, so that the compiler takes a column on the right side of an
//   assignment as an expression.
// - The first overload has the type `Value?`. If it had the type `Value`, the statement
//   `$0.$views -= n` would call the operator `-=` of Int.
// - The second overload exists only for columns that are not optional, and takes only `nil`. Its
//   setter is unavailable, with a message that explains the mistake. The overload is generic, so
//   that it does not match a column of another type.
//
// No overload takes an expression of another type. The compiler would rank such an overload as high
// as the disfavoured overloads of the operands, and would try all of them: 200,000 solver scopes
// instead of 320 for a sum.

extension Assignments {
  /// Sets a column to a value. SQL: `SET a = ?`
  ///
  /// ```swift
  /// Post.update {
  ///   $0.$title = "News"
  ///   $0.$readAt = nil
  /// }
  /// // UPDATE "Post" SET "title" = ?, "readAt" = ?
  /// ```
  /// If a variable that is nil is assigned to a column that is never NULL, rendering the command
  /// throws `QueryError`.
  @_disfavoredOverload
  public subscript<Value: ColumnValue>(
    dynamicMember path: KeyPath<M, ColumnReference<Value>>
  ) -> Value? {
    @available(*, unavailable, message: "a column of a command has no value in Swift")
    get { nil }
    set {
      let column = columns[dynamicMember: path]
      if let newValue {
        append(column.node, .value(BoundValue(Value.canonical(newValue), as: column.form)))
      } else {
        append(
          column.node,
          Value.isOptional ? .value(.value(.null)) : .invalid(Self.neverNull(column.node)))
      }
    }
  }

  /// Not available: exists for the compiler's message that nil cannot be assigned to a column that
  /// is never NULL.
  @_disfavoredOverload
  public subscript<Value: ColumnValue>(
    dynamicMember path: KeyPath<M, ColumnReference<Value>>
  ) -> _NilOfColumn<Value> where Value._Nullability == _NeverNull {
    @available(*, unavailable, message: "a column of a command has no value in Swift")
    get { nil }
    @available(
      *, unavailable,
      message: "the column is never NULL; to set it to nil, declare its property as an optional"
    )
    set {}
  }

  /// Not available: exists for the compiler's message that a column is written with its dollar
  /// sign.
  ///
  /// Without this overload, the compiler has no message for `update { $0.title = "x" }`. The
  /// overload does not apply to `$0.$title`, because a `ColumnReference` is not a `ColumnValue`.
  @_disfavoredOverload
  public subscript<Value: ColumnValue>(dynamicMember path: KeyPath<M, Value>) -> Value {
    @available(
      *, unavailable,
      message: "write $0.$title, not $0.title: a command has columns, not the values of a model"
    )
    get { fatalError() }
    @available(
      *, unavailable,
      message: "write $0.$title, not $0.title: a command has columns, not the values of a model"
    )
    set {}
  }

  private static func neverNull(_ column: ExpressionNode) -> QueryError {
    let place = column.place
    return QueryError(
      "\(place?.table ?? "\(M.self)"): \(place?.column ?? "a column") is set to nil, but it is never NULL; declare its property as an "
        + "optional, or set it to a value")
  }
}

/// A type whose only value is `nil`, for assigning nil to a column; programs do not use it
/// directly.
public struct _NilOfColumn<Value>: ExpressibleByNilLiteral {
  /// Creates the value from the literal `nil`.
  public init(nilLiteral: ()) {}
}

extension SQLExpression where Value: TextColumnValue {
  /// Appends a text in place, in an update. SQL: `SET a = a || b`
  public static func += (left: inout SQLExpression, right: SQLExpression) {
    left = left.concat(right)
  }

  /// Appends a text in place, in an update. SQL: `SET a = a || ?`
  @_disfavoredOverload
  public static func += (left: inout SQLExpression, right: String) { left = left.concat(right) }
}

extension SQLExpression where Value == Bool {
  /// Changes true to false and false to true, in an update. SQL: `SET a = NOT (a)`
  public mutating func toggle() {
    self = SQLExpression(.predicate(.not(.composed([.expression(node)]))), form: form)
  }
}

extension SQLExpression where Value == Bool? {
  /// Changes true to false and false to true, in an update; NULL stays NULL. SQL: `SET a = NOT (a)`
  public mutating func toggle() {
    self = SQLExpression(.predicate(.not(.composed([.expression(node)]))), form: form)
  }
}
