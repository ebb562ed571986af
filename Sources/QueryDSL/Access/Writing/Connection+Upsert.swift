import SQLCore

/// The result of an upsert for one row: the outcome, and the key of the row.
public struct Upserted<M: Model>: Sendable {
  /// Whether the row was inserted, updated or left unchanged.
  public let outcome: UpsertOutcome

  let key: M.ID?

  @inline(__always)
  init(outcome: UpsertOutcome, key: M.ID?) {
    self.outcome = outcome
    self.key = key
  }

  /// The key of the row that is in the table after the upsert, whatever the outcome. It is the key
  /// of the new row, which the database may have assigned, or the key of the existing row.
  ///
  /// Throws `RecordNotFound` if a trigger with `RAISE(IGNORE)` or a constraint with ON CONFLICT
  /// IGNORE suppressed the insert, and no existing row conflicts with the new row in the columns of
  /// an ON CONFLICT clause.
  public var id: M.ID {
    get throws {
      guard let key else {
        throw RecordNotFound(
          table: M.tableName, key: "of this upsert: a trigger or constraint suppressed it")
      }
      return key
    }
  }
}

/// The outcome of an upsert for one row.
///
/// ```swift
/// for row in try db.upsert(Visit.insert(visit).onConflictUpdate(\.$url)) {
///   print(try row.id, row.outcome == .inserted ? "is new" : "was known")
/// }
/// ```
public enum UpsertOutcome: Hashable, Sendable {
  /// A new row was inserted.
  case inserted
  /// An existing row was updated.
  case updated
  /// Nothing was written, for one of these reasons:
  /// - The ON CONFLICT clause that applied is DO NOTHING, or its WHERE is false.
  /// - A trigger, or a constraint with ON CONFLICT IGNORE, made SQLite ignore the row.
  case unchanged
}

extension Connection {
  /// Inserts a row, or updates the row that has the same values in the columns of a unique
  /// constraint.
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
  /// //   SET "title" = excluded."title", …
  /// //   WHERE "Post"."title" IS NOT excluded."title" COLLATE "BINARY" OR …
  /// ```
  /// An existing row keeps its key. The call takes one statement. If this statement leaves the row
  /// unchanged, one or more further statements look up the row. For a table WITHOUT ROWID, and in a
  /// remote database, the call takes two statements if the row exists, so a BEFORE INSERT trigger
  /// runs twice.
  ///
  /// A violation of another constraint throws `DatabaseError`. If `onConflict` names a column of
  /// the key, and the model's key was changed since the model was loaded, the call throws
  /// `KeyChanged`.
  @discardableResult
  public func upsert<M: Model, First: ColumnValue, each Value: ColumnValue>(
    _ model: M, onConflict first: KeyPath<M, ColumnReference<First>>,
    _ others: repeat KeyPath<M, ColumnReference<each Value>>
  ) throws -> Upserted<M> {
    try onlyOutcome(upsert(M.insert(model).onConflictUpdate(first, repeat each others)))
  }

  /// Inserts a row, or lets a closure update the row that has the same values in the columns of a
  /// unique constraint. In the closure, `$0.new` is the row to insert.
  ///
  /// ```swift
  /// try connection.upsert(post, onConflict: \.$url) { $0.$views += $0.new.$views }
  /// ```
  /// The outcome is `.updated` if the assignments of the closure ran, even if they changed no
  /// value.
  @discardableResult
  public func upsert<M: Model, First: ColumnValue, each Value: ColumnValue>(
    _ model: M, onConflict first: KeyPath<M, ColumnReference<First>>,
    _ others: repeat KeyPath<M, ColumnReference<each Value>>,
    set assign: (inout Assignments<M>) -> Void,
    @PredicateBuilder where predicates: (ConflictColumns<M>) -> PredicateLines = { _ in [] }
  ) throws -> Upserted<M> {
    let insert = M.insert(model).onConflictUpdate(
      first, repeat each others, set: assign, where: predicates)
    return try onlyOutcome(upsert(insert))
  }

  /// Inserts a row, or sets some columns of the row that has the same values in the columns of a
  /// unique constraint.
  ///
  /// ```swift
  /// try connection.upsert(post, onConflict: \.$url, setting: \.$title, \.$body)
  /// // INSERT INTO "Post" (…) VALUES (…) ON CONFLICT ("url") DO UPDATE
  /// //   SET "title" = excluded."title", "body" = excluded."body" WHERE …
  /// ```
  /// The other columns of an existing row keep their values. The outcome is `.unchanged` if the set
  /// columns already have the new values. The number of statements and the errors are the same as
  /// for `upsert(_:onConflict:)`.
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

  /// Runs an insert, and returns the outcome and the key of each row.
  ///
  /// ```swift
  /// let upserted = try connection.upsert(Post.insert(posts).onConflictUpdate(\.$url))
  /// let ids = try upserted.map { try $0.id }
  /// ```
  /// Throws `QueryError` for an insert of a query, because the outcome of each of its rows is not
  /// known.
  @discardableResult
  public func upsert<M: Model>(_ insert: Insert<M>) throws -> [Upserted<M>] {
    try insert.upserted(on: try use())
  }
}

extension Database {
  /// Inserts a row, or updates the existing row, as `Connection.upsert` does.
  @discardableResult
  public func upsert<M: Model, First: ColumnValue, each Value: ColumnValue>(
    _ model: M, onConflict first: KeyPath<M, ColumnReference<First>>,
    _ others: repeat KeyPath<M, ColumnReference<each Value>>
  ) throws -> Upserted<M> {
    try onlyOutcome(upsert(M.insert(model).onConflictUpdate(first, repeat each others)))
  }

  /// Inserts a row, or updates the existing row, as `Connection.upsert` does.
  @discardableResult
  public func upsert<M: Model, First: ColumnValue, each Value: ColumnValue>(
    _ model: M, onConflict first: KeyPath<M, ColumnReference<First>>,
    _ others: repeat KeyPath<M, ColumnReference<each Value>>
  ) async throws -> Upserted<M> {
    let insert = M.insert(model).onConflictUpdate(first, repeat each others)
    return try await onlyOutcome(upsert(insert))
  }

  /// Inserts a row, or lets a closure update the existing row, as `Connection.upsert` does.
  @discardableResult
  public func upsert<M: Model, First: ColumnValue, each Value: ColumnValue>(
    _ model: M, onConflict first: KeyPath<M, ColumnReference<First>>,
    _ others: repeat KeyPath<M, ColumnReference<each Value>>,
    set assign: (inout Assignments<M>) -> Void,
    @PredicateBuilder where predicates: (ConflictColumns<M>) -> PredicateLines = { _ in [] }
  ) throws -> Upserted<M> {
    let insert = M.insert(model).onConflictUpdate(
      first, repeat each others, set: assign, where: predicates)
    return try onlyOutcome(upsert(insert))
  }

  /// Inserts a row, or lets a closure update the existing row, as `Connection.upsert` does.
  @discardableResult
  public func upsert<M: Model, First: ColumnValue, each Value: ColumnValue>(
    _ model: M, onConflict first: KeyPath<M, ColumnReference<First>>,
    _ others: repeat KeyPath<M, ColumnReference<each Value>>,
    set assign: (inout Assignments<M>) -> Void,
    @PredicateBuilder where predicates: (ConflictColumns<M>) -> PredicateLines = { _ in [] }
  ) async throws -> Upserted<M> {
    let insert = M.insert(model).onConflictUpdate(
      first, repeat each others, set: assign, where: predicates)
    return try await onlyOutcome(upsert(insert))
  }

  /// Inserts a row, or sets some columns of the existing row, as `Connection.upsert` does.
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

  /// Inserts a row, or sets some columns of the existing row, as `Connection.upsert` does.
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

  /// Runs an insert in a transaction, and returns the outcome and the key of each row.
  @discardableResult
  public func upsert<M: Model>(_ insert: Insert<M>) throws -> [Upserted<M>] {
    try writeData { try $0.upsert(insert) }
  }

  /// Runs an insert in a transaction, and returns the outcome and the key of each row.
  @discardableResult
  public func upsert<M: Model>(_ insert: Insert<M>) async throws -> [Upserted<M>] {
    try await writeData { try $0.upsert(insert) }
  }
}

/// Returns the single result of an upsert of one row.
func onlyOutcome<M: Model>(_ upserted: [Upserted<M>]) -> Upserted<M> {
  upserted.first ?? Upserted(outcome: .unchanged, key: nil)
}
