import SQLCore

// Each column matches only one of the first two subscripts below: the first is for columns that are
// never NULL, and the second is for optional columns. If the first one also accepted optional
// columns, and returned optionals of optionals, the compiler would have to try many more types for
// arithmetic over these columns.

/// The columns of a table whose row may be missing, so that each column may be NULL: a table on the
/// right side of a left join, on the left side of a right join, or on either side of a full join.
///
/// ```swift
/// let names = Query { (post: Columns<Post>, editor: OptionalColumns<Author>) in
///   From(post)
///   LeftJoin(editor, on: post.$editorID == editor.$id)
///   Select(post.$title, editor.$name)       // (String, String?)
/// }
/// ```
@dynamicMemberLookup
public struct OptionalColumns<M: ResultRow>: TableColumns {
  package let columns: Columns<M>

  /// Makes columns that stand for one more use of the model's table. The query must have this use
  /// of the table in its FROM or in a join.
  public init() {
    columns = Columns()
  }

  /// Makes a parameter of a closure that adds clauses to an existing query. The parameter gets the
  /// columns of the query's next table of this model; programs do not use it directly.
  public init(_from tables: _QueryTables) {
    columns = tables.take(M.self, acceptsMissing: true)
  }

  /// The column of a property. It is an optional, because the join may find no row.
  public subscript<Column: ColumnWithDollarSign>(
    dynamicMember path: KeyPath<M, Column>
  ) -> SQLExpression<Column.Value?>
  where
    Column._InQuery == SQLExpression<Column.Value>, Column.Value._Nullability == _NeverNull
  {
    columns[dynamicMember: path].optional
  }

  /// The column of a property whose own type is optional.
  public subscript<Column: ColumnWithDollarSign, Wrapped: ColumnValue>(
    dynamicMember path: KeyPath<M, Column>
  ) -> SQLExpression<Wrapped?>
  where Column.Value == Wrapped?, Column._InQuery == SQLExpression<Wrapped?> {
    columns[dynamicMember: path]
  }

  /// The columns of a group.
  public subscript<Group: ColumnGroup>(
    dynamicMember path: KeyPath<M, GroupReference<Group>>
  ) -> GroupColumns<Group?> {
    GroupColumns(columns[dynamicMember: path])
  }

  /// The columns of an optional group.
  public subscript<Group: ColumnGroup>(
    dynamicMember path: KeyPath<M, GroupReference<Group?>>
  ) -> GroupColumns<Group?> {
    columns[dynamicMember: path]
  }
}
