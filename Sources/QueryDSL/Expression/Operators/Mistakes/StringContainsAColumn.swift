// The method below matches a mistake: an expression of a query that is interpolated into a string.
// The method is isolated to a global actor, so that the compiler rejects each call of it, as
// `OperandIsNotANumber.swift` explains. If the method were unavailable instead, the compiler would
// use Swift's own method, which accepts any value.

/// An actor whose name appears in a compile error as the reason: the string contains an expression
/// of a query, whose value is not known in Swift. Programs do not use it directly.
@globalActor
public actor StringContainsAColumn {
  /// The instance that `@globalActor` requires. It does nothing.
  public static let shared = StringContainsAColumn()
}

extension DefaultStringInterpolation {
  /// Not available: the string would contain a description of the expression, not its value. Write
  /// `$0.$title.concat("!")`, or interpolate into `SQLExpression(sql:)`.
  @StringContainsAColumn
  public mutating func appendInterpolation<Value>(_ expression: SQLExpression<Value>) {}
}
