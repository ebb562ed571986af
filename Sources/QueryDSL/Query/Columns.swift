import SQLCore
import Synchronization

/// The columns of a table in a query: `$0.$views` is the column of the property `views`.
///
/// What a closure of `where { }` is given, and the parameters of `Query { }`. Two of one model are
/// two tables: that is how a table is joined with itself, or asked about inside another query.
@dynamicMemberLookup
public struct Columns<M: ResultRow>: TableScope {
  @usableFromInline package let table: TableID
  /// nil where the model cannot be a table.
  @usableFromInline let names: ModelLayout.Names?

  /// The columns of a table of its own, which a query must have in its FROM or a join.
  public init() {
    self.init(source: TableID.nextSource())
  }

  /// The columns of the one table that a declaration is about: a CHECK, an index, a generated column.
  static var declared: Columns { Columns(source: TableID.declared) }

  /// The columns of a table that is there already: the row that an upsert would have inserted.
  init(_ table: TableID) {
    names = (try? M.layout)?.names
    self.table = table
  }

  private init(source: UInt32) {
    // What names a column cannot throw: the error comes when the query is rendered.
    let layout = try? M.layout
    names = layout?.names
    table = TableID(layout: layout?.number ?? 0, source: source)
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

/// The columns of a table whose row may be missing: the right side of a left join, the left side of
/// a right join, both of a full one. Each may be NULL.
@dynamicMemberLookup
public struct OptionalColumns<M: ResultRow>: TableScope {
  package let columns: Columns<M>

  /// The columns of a table of its own, which a query must have in its FROM or a join.
  public init() {
    columns = Columns()
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
  /// The columns of a table of its own.
  init()
}

extension TableID {
  /// How many tables of queries the process has had. A number comes again after 4 billion others,
  /// and then only matters to a query inside another over the same model.
  private static let sources = Atomic<UInt32>(0)

  fileprivate static func nextSource() -> UInt32 {
    sources.wrappingAdd(1, ordering: .relaxed).newValue
  }
}
