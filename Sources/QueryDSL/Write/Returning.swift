import SQLCore

/// An insert, an update or a deletion that returns the rows that it changed.
///
/// ```swift
/// let ids = try db.fetch(Post.delete().where { $0.$status == .archived }.returning(\.$id))
/// // DELETE FROM "Post" WHERE "status" = ? RETURNING "id"
/// ```
/// To run the command, use `fetch` or `first` of a database, or of the connection in `write { }`.
/// Inserted and updated rows are returned as they are after the statement, and deleted rows as they
/// were before it. The rows do not show later changes by AFTER triggers. Their order is undefined.
/// - SeeAlso: <https://www.sqlite.org/lang_returning.html>
public struct Returning<Command: Runnable, Row: Sendable>: Sendable {
  enum Source: Sendable {
    /// A command that is not prepared, and its RETURNING clause. Both are rendered when the command
    /// runs.
    case rendered(Command, ReturningClause)
    /// A call of a prepared command.
    case prepared(PreparedRun)
  }

  let source: Source
  let decoding: RowDecoding<Row>

  /// The SQL of the statement, with its values. Throws `QueryError` if the statement is invalid.
  public var sql: SQL {
    get throws {
      switch source {
      case .rendered(let command, let clause):
        guard let command = command as? any ModelCommand else { throw Self.unknown }
        return try command.rendered(returning: clause)
      case .prepared(let call): return try call.sql
      }
    }
  }

  static var unknown: QueryError { QueryError("\(Command.self) is not a command of Apus") }
}

extension ModelCommand {
  fileprivate func rendered(returning: ReturningClause) throws -> SQL {
    try ReturningStatement(command: self, returning: returning).rendered()
  }
}

/// The terms of a RETURNING clause.
struct ReturningClause: Sendable {
  let table: TableID
  let terms: [SelectStatement.SelectTerm]
}

/// A command followed by a RETURNING clause.
struct ReturningStatement<Command: Renderable>: Renderable {
  let command: Command
  let returning: ReturningClause

  func write(to writer: inout ShapeWriter) throws {
    try command.write(to: &writer)
    writer.openScope(returning.table, [], nil)
    writer.token(.returning)
    SelectStatement.write(returning.terms, to: &writer)
    writer.closeScope()
  }
}

extension ConnectionCore {
  /// Returns the statement of a command, with its values bound. The caller must return the
  /// statement with `giveBack`.
  func lendStatement(
    for command: some Renderable, returning: ReturningClause?
  ) throws -> StatementPointer {
    guard let returning else { return try lendStatement(for: command) }
    return try lendStatement(for: ReturningStatement(command: command, returning: returning))
  }
}

extension TableCommand {
  /// Returns the changed rows as models. SQL: `RETURNING "id", "title", …`
  public func returning() -> Returning<Self, M> {
    returning(([.table(_columns.table)], M.decoding))
  }

  /// Returns one column of the changed rows. SQL: `RETURNING "id"`
  @_disfavoredOverload
  public func returning<Value: ColumnValue>(
    _ column: KeyPath<M, ColumnReference<Value>>
  ) -> Returning<Self, Value> {
    returning { $0[dynamicMember: column] }
  }

  /// Returns several columns of the changed rows, as tuples. SQL: `RETURNING "id", "title"`
  @_disfavoredOverload
  public func returning<First: ColumnValue, each Value: ColumnValue>(
    _ first: KeyPath<M, ColumnReference<First>>,
    _ others: repeat KeyPath<M, ColumnReference<each Value>>
  ) -> Returning<Self, (First, repeat each Value)> {
    let table = _columns
    return returning(
      SelectStatement.tuple(
        table[dynamicMember: first], repeat table[dynamicMember: each others]))
  }

  /// Returns the values of expressions for each changed row. The closure has one expression on each
  /// line; several values are a tuple. SQL: `RETURNING "id", "views" + ?`
  public func returning<Row: Sendable>(
    @SelectBuilder _ items: (Columns<M>) -> _Selection<Row>
  ) -> Returning<Self, Row> {
    returning(SelectStatement.clause(of: items(_columns)))
  }

  /// Returns the value of one expression for each changed row.
  /// SQL: `RETURNING "views" + ?`
  @_disfavoredOverload
  public func returning<Item: Selectable>(
    _ item: (Columns<M>) -> Item
  ) -> Returning<Self, Item.Selected> {
    returning(item(_columns).selectClause)
  }

  /// Returns the values of several expressions for each changed row, as a tuple.
  /// SQL: `RETURNING "id", "views" + ?`
  @_disfavoredOverload
  public func returning<each Item: Selectable>(
    @_TupleBuilder _ items: (Columns<M>) -> (repeat each Item)
  ) -> Returning<Self, (repeat (each Item).Selected)> {
    let items = items(_columns)
    return returning(SelectStatement.tuple(repeat each items))
  }

  private func returning<Row>(
    _ selection: ([SelectStatement.SelectTerm], RowDecoding<Row>)
  ) -> Returning<Self, Row> {
    Returning(
      source: .rendered(self, ReturningClause(table: _columns.table, terms: selection.0)),
      decoding: selection.1)
  }
}
