import SQLCore

extension Selectable where Self: ColumnValue {
  /// Gives the value a name in the result. SQL: `? AS "name"`
  ///
  /// ```swift
  /// Query { Select(0.as("depth"), into: Level.self) }      // SELECT ? AS "depth"
  /// ```
  public func `as`(_ name: String) -> AliasedExpression<Self> {
    SQLExpression(self).as(name)
  }
}
