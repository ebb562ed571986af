import SQLCore

/// The columns of a table in a query: `$0.$views` is the column of the property `views`.
///
/// What a closure of `where { }` is given, and the parameters of `Query { }`.
@dynamicMemberLookup
public struct Columns<M: Model>: TableScope {
  package let table: TableID
  private let layout: ModelLayout?
  private let problem: QueryError?

  package init(source: Int) {
    do {
      let layout = try M.layout
      self.layout = layout
      table = TableID(layout: layout.number, source: UInt16(truncatingIfNeeded: source))
      problem = nil
    } catch {
      // Thrown when the query is rendered: what names a column cannot throw.
      layout = nil
      table = TableID(layout: 0, source: UInt16(truncatingIfNeeded: source))
      problem = QueryError(String(describing: error))
    }
  }

  init(layout: ModelLayout, source: Int) {
    self.layout = layout
    table = TableID(layout: layout.number, source: UInt16(truncatingIfNeeded: source))
    problem = nil
  }

  /// The columns of a table that is one of a query's, by its place among them.
  public static func scope(at position: Int) -> Columns<M> {
    Columns(source: position)
  }

  /// The column that a key path names.
  public subscript<Value: ColumnValue>(
    dynamicMember path: KeyPath<M, ColumnReference<Value>>
  ) -> SQLExpression<Value> {
    guard let layout, let index = layout.index(of: path) else {
      return SQLExpression(.invalid(problem ?? Columns.noColumn(path)))
    }
    return SQLExpression(
      .column(ColumnID(table: table, index: UInt16(truncatingIfNeeded: index))),
      form: layout.columns[index].form)
  }

  /// How many rows there are. SQL: `count(*)`
  public func count() -> SQLExpression<Int> {
    SQLExpression(.countOfRows)
  }

  static func noColumn(_ path: AnyKeyPath) -> QueryError {
    QueryError("\(M.self): \(path) names no column of the model")
  }
}

/// The columns of the table on the right of a left join: each may be NULL.
@dynamicMemberLookup
public struct OptionalColumns<M: Model>: TableScope {
  package let columns: Columns<M>

  /// The columns of a table that is one of a query's, by its place among them.
  public static func scope(at position: Int) -> OptionalColumns<M> {
    OptionalColumns(columns: Columns(source: position))
  }

  /// The column that a key path names, as an optional.
  public subscript<Value: ColumnValue>(
    dynamicMember path: KeyPath<M, ColumnReference<Value>>
  ) -> SQLExpression<Value?> {
    columns[dynamicMember: path].optional
  }

  /// The column that a key path names, which is optional anyway.
  public subscript<Value: ColumnValue>(
    dynamicMember path: KeyPath<M, ColumnReference<Value?>>
  ) -> SQLExpression<Value?> {
    columns[dynamicMember: path]
  }
}

/// What a parameter of `Query { }` may be: the columns of a table.
public protocol TableScope: Sendable {
  /// The columns of the table at that place among the query's parameters.
  static func scope(at position: Int) -> Self
}
