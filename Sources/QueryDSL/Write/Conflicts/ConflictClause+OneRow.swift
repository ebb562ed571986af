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

// An upsert whose condition does not use the new row: the closure of `where:` has one parameter,
// the existing row. Without these overloads the compiler has no message for it.

extension Insert {
  /// Updates the existing row if the new one violates this unique constraint, and if a condition on
  /// the existing row holds.
  ///
  /// ```swift
  /// Post.insert(post).onConflictUpdate(\.$url) { $0.$title = $1.$title } where: {
  ///   $0.$isLocked == false
  /// }
  /// // … ON CONFLICT ("url") DO UPDATE SET "title" = excluded."title" WHERE "Post"."isLocked" = 0
  /// ```
  /// In all other respects it does what the overload does whose `where:` has two parameters.
  public consuming func onConflictUpdate<First: ColumnValue, each Value: ColumnValue>(
    _ first: KeyPath<M, ColumnReference<First>>,
    _ others: repeat KeyPath<M, ColumnReference<each Value>>,
    @PredicateBuilder matching condition: (Columns<M>) -> PredicateLines = { _ in [] },
    set assign: (inout Assignments<M>, Columns<M>) -> Void,
    @PredicateBuilder where predicates: (Columns<M>) -> PredicateLines
  ) -> Self {
    append(clause(on: first, repeat each others, matching: condition), assign) { row, _ in
      predicates(row)
    }
    return self
  }

  /// Updates the existing row if the new one violates this unique constraint, and if a condition on
  /// the existing row holds, without the values of the new one.
  public consuming func onConflictUpdate<First: ColumnValue, each Value: ColumnValue>(
    _ first: KeyPath<M, ColumnReference<First>>,
    _ others: repeat KeyPath<M, ColumnReference<each Value>>,
    @PredicateBuilder matching condition: (Columns<M>) -> PredicateLines = { _ in [] },
    set assign: (inout Assignments<M>) -> Void,
    @PredicateBuilder where predicates: (Columns<M>) -> PredicateLines
  ) -> Self {
    onConflictUpdate(
      first, repeat each others, matching: condition, set: { row, _ in assign(&row) },
      where: predicates)
  }

  /// Updates the existing row if the new one violates a unique index over these terms, and if a
  /// condition on the existing row holds.
  public consuming func onConflictUpdate(
    @IndexBuilder on terms: (Columns<M>) -> [IndexTerm],
    @PredicateBuilder matching condition: (Columns<M>) -> PredicateLines = { _ in [] },
    set assign: (inout Assignments<M>, Columns<M>) -> Void,
    @PredicateBuilder where predicates: (Columns<M>) -> PredicateLines
  ) -> Self {
    append(Self.clause(on: terms, matching: condition), assign) { row, _ in predicates(row) }
    return self
  }

  /// Updates the existing row if the new one violates a unique index over these terms, and if a
  /// condition on the existing row holds, without the values of the new one.
  public consuming func onConflictUpdate(
    @IndexBuilder on terms: (Columns<M>) -> [IndexTerm],
    @PredicateBuilder matching condition: (Columns<M>) -> PredicateLines = { _ in [] },
    set assign: (inout Assignments<M>) -> Void,
    @PredicateBuilder where predicates: (Columns<M>) -> PredicateLines
  ) -> Self {
    onConflictUpdate(
      on: terms, matching: condition, set: { row, _ in assign(&row) }, where: predicates)
  }

  /// Updates the existing row if the new one violates any unique constraint, and if a condition on
  /// the existing row holds.
  public consuming func onConflictUpdate(
    set assign: (inout Assignments<M>, Columns<M>) -> Void,
    @PredicateBuilder where predicates: (Columns<M>) -> PredicateLines
  ) -> Self {
    append(ConflictClause(excluded: Columns<M>().table), assign) { row, _ in predicates(row) }
    return self
  }

  /// Updates the existing row if the new one violates any unique constraint, and if a condition on
  /// the existing row holds, without the values of the new one.
  public consuming func onConflictUpdate(
    set assign: (inout Assignments<M>) -> Void,
    @PredicateBuilder where predicates: (Columns<M>) -> PredicateLines
  ) -> Self {
    onConflictUpdate(set: { row, _ in assign(&row) }, where: predicates)
  }
}
