import SQLCore

// An upsert whose closure does not use the new row has one parameter, the existing row.

extension Insert {
  /// Updates the existing row if the new one violates this unique constraint, without the values of
  /// the new one.
  ///
  /// ```swift
  /// Visit.insert(visit).onConflictUpdate(\.$url) { $0.$count += 1 }
  /// // … ON CONFLICT ("url") DO UPDATE SET "count" = "Visit"."count" + ?
  /// ```
  /// In all other respects it does what the overload with two parameters does.
  public consuming func onConflictUpdate<First: ColumnValue, each Value: ColumnValue>(
    _ first: KeyPath<M, ColumnReference<First>>,
    _ others: repeat KeyPath<M, ColumnReference<each Value>>,
    @PredicateBuilder matching condition: (Columns<M>) -> PredicateLines = { _ in [] },
    set assign: (inout Assignments<M>) -> Void,
    @PredicateBuilder where predicates: (Columns<M>, Columns<M>) -> PredicateLines = { _, _ in [] }
  ) -> Self {
    onConflictUpdate(
      first, repeat each others, matching: condition, set: { row, _ in assign(&row) },
      where: predicates)
  }

  /// Updates the existing row if the new one violates a unique index over these terms, without the
  /// values of the new one.
  public consuming func onConflictUpdate(
    @IndexBuilder on terms: (Columns<M>) -> [IndexTerm],
    @PredicateBuilder matching condition: (Columns<M>) -> PredicateLines = { _ in [] },
    set assign: (inout Assignments<M>) -> Void,
    @PredicateBuilder where predicates: (Columns<M>, Columns<M>) -> PredicateLines = { _, _ in [] }
  ) -> Self {
    onConflictUpdate(
      on: terms, matching: condition, set: { row, _ in assign(&row) }, where: predicates)
  }

  /// Updates the existing row if the new one violates any unique constraint, without the values of
  /// the new one. SQL: `ON CONFLICT DO UPDATE SET "count" = "Visit"."count" + ?`
  public consuming func onConflictUpdate(
    set assign: (inout Assignments<M>) -> Void,
    @PredicateBuilder where predicates: (Columns<M>, Columns<M>) -> PredicateLines = { _, _ in [] }
  ) -> Self {
    onConflictUpdate(set: { row, _ in assign(&row) }, where: predicates)
  }
}
