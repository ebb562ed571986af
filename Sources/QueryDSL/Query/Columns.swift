import SQLCore

/// The columns of a table in a query: `$0.$views` is the column of the property `views`.
///
/// What a closure of `where { }` is given, and the parameters of `Query { }`.
@dynamicMemberLookup
public struct Columns<M: Model>: TableScope {
  @usableFromInline package let table: TableID
  /// nil where the model cannot be a table.
  @usableFromInline let names: ModelLayout.Names?

  @usableFromInline
  package init(source: Int) {
    // What names a column cannot throw: the error comes when the query is rendered.
    let layout = try? M.layout
    names = layout?.names
    table = TableID(layout: layout?.number ?? 0, source: UInt16(truncatingIfNeeded: source))
  }

  /// The columns of a table that is one of a query's, by its place among them.
  public static func scope(at position: Int) -> Columns<M> {
    Columns(source: position)
  }

  /// The column that a key path names.
  @inlinable
  public subscript<Value: ColumnValue>(
    dynamicMember path: KeyPath<M, ColumnReference<Value>>
  ) -> SQLExpression<Value> {
    // A key path that is known where it is applied becomes a load.
    @inline(__always) get { column(at: names?.index(of: path), path) }
  }

  @inlinable
  func column<Value: ColumnValue>(
    at index: Int?, _ path: @autoclosure () -> KeyPath<M, ColumnReference<Value>>
  ) -> SQLExpression<Value> {
    guard let names, let index else {
      return SQLExpression(.invalid(Columns.noColumn(path())))
    }
    return SQLExpression(
      .column(ColumnID(table: table, index: UInt16(truncatingIfNeeded: index))),
      form: names.form(at: index))
  }

  /// How many rows there are. SQL: `count(*)`
  public func count() -> SQLExpression<Int> {
    SQLExpression(.countOfRows)
  }

  @usableFromInline
  static func noColumn(_ path: AnyKeyPath) -> QueryError {
    do {
      _ = try M.layout
      return QueryError("\(M.self): \(path) names no column of the model")
    } catch {
      return QueryError(String(describing: error))
    }
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
