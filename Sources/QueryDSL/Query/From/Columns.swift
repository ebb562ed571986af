import SQLCore
import Synchronization

/// The columns of a table in a query: `$0.$views` is the column of the property `views`.
///
/// ```swift
/// func isLong(_ post: Columns<Post>) -> SQLPredicate { post.$minutes > 20 }
///
/// let long = try db.fetch(Post.where { isLong($0) })
/// ```
///
/// A closure of `where { }` receives `Columns`, and the parameters of `Query { }` are `Columns`.
/// Two `Columns` of the same model stand for two uses of its table: in a join of the table with
/// itself, for example, or in a query and its subquery.
@dynamicMemberLookup
public struct Columns<M: ResultRow>: TableColumns {
  @usableFromInline package let table: TableID
  /// The names of the columns; nil if the model cannot be a table.
  @usableFromInline let names: ModelLayout.Names?

  /// Makes columns that stand for one more use of the model's table. The query must have this use
  /// of the table in its FROM or in a join.
  public init() {
    self.init(source: TableID.nextSource())
  }

  /// Makes a parameter of a closure that adds clauses to an existing query. The parameter gets the
  /// columns of the query's next table of this model; programs do not use it directly.
  public init(_from tables: _QueryTables) {
    self = tables.take(M.self, acceptsMissing: false)
  }

  /// The columns of the table in a declaration, such as a CHECK, an index or a generated column.
  static var declared: Columns { Columns(source: TableID.declared) }

  /// Makes the columns of a table that the query already has. `excluded` in an upsert counts as
  /// such a table.
  init(_ table: TableID) {
    names = (try? M.layout)?.names
    self.table = table
  }

  /// Makes the columns of a group. `names` has the names of these columns only.
  init(_ table: TableID, names: ModelLayout.Names?) {
    self.table = table
    self.names = names
  }

  private init(source: UInt32) {
    let model = unsafeBitCast(M.self, to: UnsafeRawPointer.self)
    if let known = LayoutRegistry.shared.names(of: model) {
      names = known.names
      table = TableID(layout: known.number, source: source)
      return
    }
    // A key path subscript cannot throw, so an error in the layout is thrown later, when the query
    // is rendered.
    let layout = try? M.layout
    names = layout?.names
    table = TableID(layout: layout?.number ?? 0, source: source)
  }

  /// The column of a property, or the columns of a group.
  ///
  /// A second overload, for properties without `$`, would make the compiler need seconds to find a
  /// misspelt column in a long condition.
  @inlinable
  public subscript<Column: ColumnWithDollarSign>(
    dynamicMember path: KeyPath<M, Column>
  ) -> Column._InQuery {
    // The getter is inlined, so that the compiler replaces a key path literal by a load of the
    // column's index.
    @inline(__always) get { Column._member(path, of: self) }
  }

  /// Returns the column with the given index. If the index is nil, the key path names no column,
  /// and the result is an expression that throws `QueryError` when the query is rendered.
  ///
  /// - Parameter member: The type of the key path's value. The key path itself is not passed,
  ///   because the program would then have to make a key path for each column of a query.
  @inlinable
  func column<Value: ColumnValue>(
    at index: Int?, _ member: (some ColumnWithDollarSign).Type
  ) -> SQLExpression<Value> {
    guard let names, let index else {
      return SQLExpression(.invalid(Columns.noColumn(ofType: member)))
    }
    return SQLExpression(
      .column(ColumnID(table: table, index: UInt16(truncatingIfNeeded: index))),
      form: names.form(at: index))
  }

  /// Returns the error for a key path that names no column.
  static func noColumn(_ path: AnyKeyPath) -> QueryError {
    noColumn(String(describing: path), type(of: path).valueType)
  }

  /// Returns the error for a key path that names no column. The key path itself is not known here,
  /// only the type of its value.
  @usableFromInline
  static func noColumn(ofType member: any ColumnWithDollarSign.Type) -> QueryError {
    noColumn("the property of the type \(member)", member)
  }

  private static func noColumn(_ property: String, _ type: Any.Type) -> QueryError {
    do {
      _ = try M.layout
      let isReference = type is any AnyColumnReference.Type
      return QueryError(
        "\(M.self): \(property) is not a column of the model"
          + (isReference ? "" : "; write the dollar sign, as in \\.$title"))
    } catch {
      return QueryError(String(describing: error))
    }
  }
}

extension Columns where M: TableModel {
  /// The rowid, under which SQLite stores a row. It is useful for a table without a single integer
  /// key. SQL: `rowid`
  ///
  /// ```swift
  /// PostTag.order { $0.rowID }               // in the order of insertion
  /// ```
  /// VACUUM may change the rowid, unless the key is an integer and therefore equals the rowid. A
  /// view and a table WITHOUT ROWID throw `DatabaseError`.
  /// - SeeAlso: <https://www.sqlite.org/rowidtable.html>
  public var rowID: SQLExpression<Int64> { SQLExpression(.rowID(table)) }
}

extension TableID {
  /// The counter that gives each table of a query a number. After 4 billion tables, the numbers
  /// repeat. Equal numbers matter only if a query contains another query over the same model.
  private static let sources = Atomic<UInt32>(0)

  fileprivate static func nextSource() -> UInt32 {
    sources.wrappingAdd(1, ordering: .relaxed).newValue
  }
}

/// The type of a parameter of `Query { }`: `Columns` or `OptionalColumns`;
/// programs do not use it directly.
public protocol TableColumns: Sendable {
  /// Makes columns that stand for one more use of the model's table in a query.
  init()

  /// Makes a parameter of a closure that adds clauses to an existing query. The parameter gets the
  /// columns of the query's next table of this model.
  init(_from tables: _QueryTables)
}
