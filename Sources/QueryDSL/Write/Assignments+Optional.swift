import SQLCore

extension Assignments {
  /// Sets an optional column to an expression that is never NULL. SQL: `SET a = b`
  ///
  /// ```swift
  /// Post.update { $0.$readAt = $0.$createdAt }
  /// // UPDATE "Post" SET "readAt" = "createdAt"
  /// ```
  /// It is disfavoured, so that expressions on the right side of an assignment are optional if
  /// their column is.
  @_disfavoredOverload
  public subscript<Wrapped: ColumnValue>(
    dynamicMember path: KeyPath<M, ColumnReference<Wrapped?>>
  ) -> SQLExpression<Wrapped> {
    @available(
      *, unavailable,
      message: "the column may be NULL: write $0.$a.ifNull(…), or $0.$b.optional for the other side"
    )
    get { SQLExpression(.invalid(QueryError("the column may be NULL"))) }
    set { assign(columns[dynamicMember: path], newValue.optional) }
  }
}
