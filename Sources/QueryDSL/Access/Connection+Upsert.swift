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

/// The row that is there after an upsert: its key, and what became of it.
public struct Upserted<M: Model>: Sendable {
  /// Whether the row is new, was updated, or stays as it was.
  public let outcome: UpsertOutcome

  let key: M.ID?

  /// The key of the row that is there, whatever the outcome: the new row's, the one that the database
  /// counted for it, or that of the row that was there before.
  ///
  /// Throws `RecordNotFound` if there is no row: a trigger left the new one out (`RAISE(IGNORE)`).
  public var id: M.ID {
    get throws {
      guard let key else {
        throw RecordNotFound(table: M.tableName, key: "of a row that a trigger left out")
      }
      return key
    }
  }
}

extension Connection {
  /// Inserts a row, or updates the one that has its values in the columns of a unique constraint.
  ///
  /// ```swift
  /// let upserted = try connection.upsert(post, onConflict: \.$url)
  /// let id = try upserted.id          // the key of the row that has the URL now
  /// switch upserted.outcome {
  /// case .inserted: …                 // it is new
  /// case .updated: …                  // a row of that URL was there, with other values
  /// case .unchanged: …                // the row has these values already: nothing was written
  /// }
  /// // INSERT INTO "Post" (…) VALUES (…) ON CONFLICT ("url") DO UPDATE
  /// //   SET "title" = excluded."title", … WHERE "Post"."title" IS NOT excluded."title" OR …
  /// ```
  /// The row that is there keeps its key. One statement, and a lookup of the key where the row stays
  /// unchanged and the conflict is not that of the key; of a table WITHOUT ROWID two statements where
  /// the row is there, so that a BEFORE INSERT trigger runs twice. Another constraint that is violated
  /// throws `DatabaseError`; a conflict of the key, for a model whose key was set to another one
  /// since it was loaded, `KeyChanged`.
  @discardableResult
  public func upsert<M: Model, First: ColumnValue, each Value: ColumnValue>(
    _ model: M, onConflict first: KeyPath<M, ColumnReference<First>>,
    _ others: repeat KeyPath<M, ColumnReference<each Value>>
  ) throws -> Upserted<M> {
    try one(upsert(M.insert(model).onConflictUpdate(first, repeat each others)))
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
  ) throws -> Upserted<M> {
    let insert = M.insert(model).onConflictUpdate(
      first, repeat each others, set: assign, where: predicates)
    return try one(upsert(insert))
  }

  /// Runs an insert, and tells of each of its rows its key and what became of it.
  ///
  /// ```swift
  /// let upserted = try connection.upsert(Post.insert(posts).onConflictUpdate(\.$url))
  /// let ids = try upserted.map { try $0.id }
  /// ```
  /// The rows of a query have no outcome each: this throws `QueryError`.
  @discardableResult
  public func upsert<M: Model>(_ insert: Insert<M>) throws -> [Upserted<M>] {
    try insert.upserted(on: try use())
  }
}

extension Database {
  /// Inserts a row, or updates the one that is there, as `Connection.upsert` does.
  @discardableResult
  public func upsert<M: Model, First: ColumnValue, each Value: ColumnValue>(
    _ model: M, onConflict first: KeyPath<M, ColumnReference<First>>,
    _ others: repeat KeyPath<M, ColumnReference<each Value>>
  ) throws -> Upserted<M> {
    try one(upsert(M.insert(model).onConflictUpdate(first, repeat each others)))
  }

  /// Inserts a row, or updates the one that is there, as `Connection.upsert` does.
  @discardableResult
  nonisolated(nonsending)
    public func upsert<M: Model, First: ColumnValue, each Value: ColumnValue>(
      _ model: M, onConflict first: KeyPath<M, ColumnReference<First>>,
      _ others: repeat KeyPath<M, ColumnReference<each Value>>
    ) async throws -> Upserted<M>
  {
    let insert = M.insert(model).onConflictUpdate(first, repeat each others)
    return try await one(upsert(insert))
  }

  /// Inserts a row, or updates as the closure says the one that is there.
  @discardableResult
  public func upsert<M: Model, First: ColumnValue, each Value: ColumnValue>(
    _ model: M, onConflict first: KeyPath<M, ColumnReference<First>>,
    _ others: repeat KeyPath<M, ColumnReference<each Value>>,
    set assign: (inout Assignments<M>, Columns<M>) -> Void,
    @PredicateBuilder where predicates: (Columns<M>, Columns<M>) -> PredicateLines = { _, _ in [] }
  ) throws -> Upserted<M> {
    let insert = M.insert(model).onConflictUpdate(
      first, repeat each others, set: assign, where: predicates)
    return try one(upsert(insert))
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
    ) async throws -> Upserted<M>
  {
    let insert = M.insert(model).onConflictUpdate(
      first, repeat each others, set: assign, where: predicates)
    return try await one(upsert(insert))
  }

  /// Runs an insert, all or none, and tells of each of its rows what became of it.
  @discardableResult
  public func upsert<M: Model>(_ insert: Insert<M>) throws -> [Upserted<M>] {
    try write { try $0.upsert(insert) }
  }

  /// Runs an insert, all or none, and tells of each of its rows what became of it.
  @discardableResult
  nonisolated(nonsending)
    public func upsert<M: Model>(_ insert: Insert<M>) async throws -> [Upserted<M>]
  {
    try await writeData { try $0.upsert(insert) }
  }
}

/// What became of the one row of an insert.
private func one<M: Model>(_ upserted: [Upserted<M>]) -> Upserted<M> {
  upserted.first ?? Upserted(outcome: .unchanged, key: nil)
}
