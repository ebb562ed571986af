import SQLCore

extension Connection {
  /// Inserts a row, or sets some columns of the row that has the same values in the columns of a
  /// unique constraint.
  ///
  /// ```swift
  /// try connection.upsert(post, onConflict: \.$url, setting: \.$title, \.$body)
  /// // INSERT INTO "Post" (…) VALUES (…) ON CONFLICT ("url") DO UPDATE
  /// //   SET "title" = excluded."title", "body" = excluded."body" WHERE …
  /// ```
  /// The other columns of an existing row keep their values. The outcome is `.unchanged` if the row
  /// has the new values of these columns already. It costs and throws what `upsert` of all columns
  /// does.
  @discardableResult
  public func upsert<
    M: Model, First: ColumnValue, each Value: ColumnValue, Setting: ColumnValue,
    each Other: ColumnValue
  >(
    _ model: M, onConflict first: KeyPath<M, ColumnReference<First>>,
    _ others: repeat KeyPath<M, ColumnReference<each Value>>,
    setting column: KeyPath<M, ColumnReference<Setting>>,
    _ moreColumns: repeat KeyPath<M, ColumnReference<each Other>>
  ) throws -> Upserted<M> {
    try onlyOutcome(
      upsert(
        M.insert(model).onConflictUpdate(
          first, repeat each others, setting: column, repeat each moreColumns)))
  }
}

extension Database {
  /// Inserts a row, or sets some columns of the existing one, as `Connection.upsert` does.
  @discardableResult
  public func upsert<
    M: Model, First: ColumnValue, each Value: ColumnValue, Setting: ColumnValue,
    each Other: ColumnValue
  >(
    _ model: M, onConflict first: KeyPath<M, ColumnReference<First>>,
    _ others: repeat KeyPath<M, ColumnReference<each Value>>,
    setting column: KeyPath<M, ColumnReference<Setting>>,
    _ moreColumns: repeat KeyPath<M, ColumnReference<each Other>>
  ) throws -> Upserted<M> {
    try onlyOutcome(
      upsert(
        M.insert(model).onConflictUpdate(
          first, repeat each others, setting: column, repeat each moreColumns)))
  }

  /// Inserts a row, or sets some columns of the existing one, as `Connection.upsert` does.
  @discardableResult
  public func upsert<
    M: Model, First: ColumnValue, each Value: ColumnValue, Setting: ColumnValue,
    each Other: ColumnValue
  >(
    _ model: M, onConflict first: KeyPath<M, ColumnReference<First>>,
    _ others: repeat KeyPath<M, ColumnReference<each Value>>,
    setting column: KeyPath<M, ColumnReference<Setting>>,
    _ moreColumns: repeat KeyPath<M, ColumnReference<each Other>>
  ) async throws -> Upserted<M> {
    let insert = M.insert(model).onConflictUpdate(
      first, repeat each others, setting: column, repeat each moreColumns)
    return try await onlyOutcome(upsert(insert))
  }
}

// Upserts of one model whose condition does not use the new row: the closure of `where:` has one
// parameter, the existing row.

extension Connection {
  /// Inserts a row, or lets a closure update the row that has the same values in the columns of a
  /// unique constraint, if a condition on that row holds.
  ///
  /// ```swift
  /// try connection.upsert(post, onConflict: \.$url) { $0.$title = $1.$title } where: {
  ///   $0.$isLocked == false
  /// }
  /// ```
  @discardableResult
  public func upsert<M: Model, First: ColumnValue, each Value: ColumnValue>(
    _ model: M, onConflict first: KeyPath<M, ColumnReference<First>>,
    _ others: repeat KeyPath<M, ColumnReference<each Value>>,
    set assign: (inout Assignments<M>, Columns<M>) -> Void,
    @PredicateBuilder where predicates: (Columns<M>) -> PredicateLines
  ) throws -> Upserted<M> {
    let insert = M.insert(model).onConflictUpdate(
      first, repeat each others, set: assign, where: predicates)
    return try onlyOutcome(upsert(insert))
  }

  /// Inserts a row, or lets a closure update the existing one without the values of the new row, if
  /// a condition on the existing row holds.
  @discardableResult
  public func upsert<M: Model, First: ColumnValue, each Value: ColumnValue>(
    _ model: M, onConflict first: KeyPath<M, ColumnReference<First>>,
    _ others: repeat KeyPath<M, ColumnReference<each Value>>,
    set assign: (inout Assignments<M>) -> Void,
    @PredicateBuilder where predicates: (Columns<M>) -> PredicateLines
  ) throws -> Upserted<M> {
    let insert = M.insert(model).onConflictUpdate(
      first, repeat each others, set: assign, where: predicates)
    return try onlyOutcome(upsert(insert))
  }
}

extension Database {
  /// Inserts a row, or lets a closure update the existing one, as `Connection.upsert` does.
  @discardableResult
  public func upsert<M: Model, First: ColumnValue, each Value: ColumnValue>(
    _ model: M, onConflict first: KeyPath<M, ColumnReference<First>>,
    _ others: repeat KeyPath<M, ColumnReference<each Value>>,
    set assign: (inout Assignments<M>, Columns<M>) -> Void,
    @PredicateBuilder where predicates: (Columns<M>) -> PredicateLines
  ) throws -> Upserted<M> {
    let insert = M.insert(model).onConflictUpdate(
      first, repeat each others, set: assign, where: predicates)
    return try onlyOutcome(upsert(insert))
  }

  /// Inserts a row, or lets a closure update the existing one, as `Connection.upsert` does.
  @discardableResult
  public func upsert<M: Model, First: ColumnValue, each Value: ColumnValue>(
    _ model: M, onConflict first: KeyPath<M, ColumnReference<First>>,
    _ others: repeat KeyPath<M, ColumnReference<each Value>>,
    set assign: (inout Assignments<M>) -> Void,
    @PredicateBuilder where predicates: (Columns<M>) -> PredicateLines
  ) throws -> Upserted<M> {
    let insert = M.insert(model).onConflictUpdate(
      first, repeat each others, set: assign, where: predicates)
    return try onlyOutcome(upsert(insert))
  }

  /// Inserts a row, or lets a closure update the existing one, as `Connection.upsert` does.
  @discardableResult
  public func upsert<M: Model, First: ColumnValue, each Value: ColumnValue>(
    _ model: M, onConflict first: KeyPath<M, ColumnReference<First>>,
    _ others: repeat KeyPath<M, ColumnReference<each Value>>,
    set assign: (inout Assignments<M>, Columns<M>) -> Void,
    @PredicateBuilder where predicates: (Columns<M>) -> PredicateLines
  ) async throws -> Upserted<M> {
    let insert = M.insert(model).onConflictUpdate(
      first, repeat each others, set: assign, where: predicates)
    return try await onlyOutcome(upsert(insert))
  }

  /// Inserts a row, or lets a closure update the existing one, as `Connection.upsert` does.
  @discardableResult
  public func upsert<M: Model, First: ColumnValue, each Value: ColumnValue>(
    _ model: M, onConflict first: KeyPath<M, ColumnReference<First>>,
    _ others: repeat KeyPath<M, ColumnReference<each Value>>,
    set assign: (inout Assignments<M>) -> Void,
    @PredicateBuilder where predicates: (Columns<M>) -> PredicateLines
  ) async throws -> Upserted<M> {
    let insert = M.insert(model).onConflictUpdate(
      first, repeat each others, set: assign, where: predicates)
    return try await onlyOutcome(upsert(insert))
  }
}
