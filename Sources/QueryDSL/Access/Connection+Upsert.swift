import SQLCore

/// What an upsert did with a row.
public enum UpsertOutcome: Hashable, Sendable {
  /// The row is new.
  case inserted
  /// A row was there, and was updated.
  case updated
  /// A row was there and stays as it is: ON CONFLICT does nothing, or its WHERE does not hold.
  case unchanged
}

extension Connection {
  /// Inserts a row, or updates the one that has its values in the columns of a unique constraint.
  ///
  /// ```swift
  /// switch try connection.upsert(post, onConflict: \.$url) {
  /// case .inserted: …                 // it is new
  /// case .updated: …                  // a row of that URL was there, with other values
  /// case .unchanged: …                // the row has these values already: nothing was written
  /// }
  /// // INSERT INTO "Post" (…) VALUES (…) ON CONFLICT ("url") DO UPDATE
  /// //   SET "title" = excluded."title", … WHERE "Post"."title" IS NOT excluded."title" OR …
  /// ```
  /// The row that is there keeps its key. One statement; of a table WITHOUT ROWID two where the row
  /// is there, so that a BEFORE INSERT trigger runs twice. Another constraint that is violated
  /// throws `DatabaseError`.
  @discardableResult
  public func upsert<M: Model, First: ColumnValue, each Value: ColumnValue>(
    _ model: M, onConflict first: KeyPath<M, ColumnReference<First>>,
    _ others: repeat KeyPath<M, ColumnReference<each Value>>
  ) throws -> UpsertOutcome {
    try upsert(M.insert(model).onConflictUpdate(first, repeat each others)).first ?? .unchanged
  }

  /// Inserts a row, or updates as the closure says the one that has its values in the columns of a
  /// unique constraint; `$1` is the row that was to be inserted.
  ///
  /// ```swift
  /// try connection.upsert(post, onConflict: \.$url) { $0.$views += $1.$views }
  /// ```
  /// It is `.updated` where the closure's assignments ran, though they may have set what was there.
  @discardableResult
  public func upsert<M: Model, First: ColumnValue, each Value: ColumnValue>(
    _ model: M, onConflict first: KeyPath<M, ColumnReference<First>>,
    _ others: repeat KeyPath<M, ColumnReference<each Value>>,
    set assign: (inout Assignments<M>, Columns<M>) -> Void,
    @PredicateBuilder where predicates: (Columns<M>, Columns<M>) -> PredicateLines = { _, _ in [] }
  ) throws -> UpsertOutcome {
    let insert = M.insert(model).onConflictUpdate(
      first, repeat each others, set: assign, where: predicates)
    return try upsert(insert).first ?? .unchanged
  }

  /// Runs an insert, and tells of each of its rows what became of it.
  ///
  /// ```swift
  /// let outcomes = try connection.upsert(Post.insert(posts).onConflictUpdate(\.$url))
  /// ```
  /// The rows of a query have no outcome each: this throws `QueryError`.
  @discardableResult
  public func upsert<M: Model>(_ insert: Insert<M>) throws -> [UpsertOutcome] {
    try insert.outcomes(on: try use())
  }
}

extension Database {
  /// Inserts a row, or updates the one that is there, as `Connection.upsert` does.
  @discardableResult
  public func upsert<M: Model, First: ColumnValue, each Value: ColumnValue>(
    _ model: M, onConflict first: KeyPath<M, ColumnReference<First>>,
    _ others: repeat KeyPath<M, ColumnReference<each Value>>
  ) throws -> UpsertOutcome {
    try upsert(M.insert(model).onConflictUpdate(first, repeat each others)).first ?? .unchanged
  }

  /// Inserts a row, or updates the one that is there, as `Connection.upsert` does.
  @discardableResult
  nonisolated(nonsending)
    public func upsert<M: Model, First: ColumnValue, each Value: ColumnValue>(
      _ model: M, onConflict first: KeyPath<M, ColumnReference<First>>,
      _ others: repeat KeyPath<M, ColumnReference<each Value>>
    ) async throws -> UpsertOutcome
  {
    let insert = M.insert(model).onConflictUpdate(first, repeat each others)
    return try await upsert(insert).first ?? .unchanged
  }

  /// Inserts a row, or updates as the closure says the one that is there.
  @discardableResult
  public func upsert<M: Model, First: ColumnValue, each Value: ColumnValue>(
    _ model: M, onConflict first: KeyPath<M, ColumnReference<First>>,
    _ others: repeat KeyPath<M, ColumnReference<each Value>>,
    set assign: (inout Assignments<M>, Columns<M>) -> Void,
    @PredicateBuilder where predicates: (Columns<M>, Columns<M>) -> PredicateLines = { _, _ in [] }
  ) throws -> UpsertOutcome {
    let insert = M.insert(model).onConflictUpdate(
      first, repeat each others, set: assign, where: predicates)
    return try upsert(insert).first ?? .unchanged
  }

  /// Inserts a row, or updates as the closure says the one that is there.
  @discardableResult
  nonisolated(nonsending)
    public func upsert<M: Model, First: ColumnValue, each Value: ColumnValue>(
      _ model: M, onConflict first: KeyPath<M, ColumnReference<First>>,
      _ others: repeat KeyPath<M, ColumnReference<each Value>>,
      set assign: (inout Assignments<M>, Columns<M>) -> Void,
      @PredicateBuilder where predicates: (Columns<M>, Columns<M>) -> PredicateLines = { _, _ in []
      }
    ) async throws -> UpsertOutcome
  {
    let insert = M.insert(model).onConflictUpdate(
      first, repeat each others, set: assign, where: predicates)
    return try await upsert(insert).first ?? .unchanged
  }

  /// Runs an insert, all or none, and tells of each of its rows what became of it.
  @discardableResult
  public func upsert<M: Model>(_ insert: Insert<M>) throws -> [UpsertOutcome] {
    try write { try $0.upsert(insert) }
  }

  /// Runs an insert, all or none, and tells of each of its rows what became of it.
  @discardableResult
  nonisolated(nonsending)
    public func upsert<M: Model>(_ insert: Insert<M>) async throws -> [UpsertOutcome]
  {
    try await writeData { try $0.upsert(insert) }
  }
}
