import SQLCore

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
