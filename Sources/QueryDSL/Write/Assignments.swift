import SQLCore

/// A column and the expression that is assigned to it.
struct Assignment: Sendable {
  let column: ExpressionNode
  let value: ExpressionNode
}

extension Assignment {
  /// Writes `"a" = ?, "b" = "b" + ?`.
  static func write(_ list: [Assignment], to writer: inout ShapeWriter) {
    for (index, assignment) in list.enumerated() {
      if index > 0 { writer.token(.comma) }
      assignment.writeColumn(to: &writer)
      writer.token(.equal)
      writer.assigned(assignment.value, to: assignment.column)
    }
  }

  /// Writes the unqualified name of the column, or notes the error of any other expression.
  func writeColumn(to writer: inout ShapeWriter) {
    guard let columnID = column.columnID else { return column.write(to: &writer) }
    writer.columnName(columnID)
  }
}

extension ExpressionNode {
  /// The column, if the expression is one.
  package var columnID: ColumnID? {
    if case .column(let column) = self { column } else { nil }
  }
}

/// The assignments to the columns of a row: `$0.$views += 1`, `$0.$title = "x"`.
///
/// ```swift
/// let command = Post.update { $0.$views += 1; $0.$readAt = nil }.where { $0.$id == id }
/// ```
@dynamicMemberLookup
public struct Assignments<M: ResultRow> {
  @usableFromInline package let columns: Columns<M>
  private(set) var list: [Assignment] = []
  /// The row that an upsert would have inserted; nil in other commands.
  private let excluded: TableID?

  init(_ columns: Columns<M>, _ list: [Assignment] = [], excluded: TableID? = nil) {
    self.columns = columns
    self.list = list
    self.excluded = excluded
  }

  /// The columns of the row that an upsert would have inserted. SQL: `excluded`
  ///
  /// ```swift
  /// Post.insert(post).onConflictUpdate(\.$url) { $0.$views += $0.new.$views }
  /// // … ON CONFLICT ("url") DO UPDATE SET "views" = "Post"."views" + excluded."views"
  /// ```
  /// In a command that is no upsert there is no such row: rendering it throws `QueryError`.
  public var new: Columns<M> { excluded.map { Columns($0) } ?? Columns() }

  /// Takes the assignments that were made to the columns of a group.
  mutating func take<Group>(_ group: Assignments<Group>) {
    list = group.list
  }

  /// The value of the column. Setting it assigns an expression to the column.
  ///
  /// ```swift
  /// Post.update { $0.$views = $0.$views * 2 }
  /// // UPDATE "Post" SET "views" = "views" * ?
  /// ```
  /// A key path in a variable is written as `$0[dynamicMember: path] = "x"`.
  @inlinable
  public subscript<Value: ColumnValue>(
    dynamicMember path: KeyPath<M, ColumnReference<Value>>
  ) -> SQLExpression<Value> {
    // A key path literal becomes a load of the index, if the compiler sees both together.
    @inline(__always) get { columns[dynamicMember: path] }
    @inline(__always) set { assign(columns[dynamicMember: path], newValue) }
  }

  @usableFromInline
  mutating func assign<Value: ColumnValue>(
    _ column: SQLExpression<Value>, _ value: SQLExpression<Value>
  ) {
    append(column.node, value.node(as: column.form) ?? .invalid(column.mixing(value.form)))
  }

  /// Adds an assignment. A second assignment to the same column is an error that rendering throws:
  /// SQLite would silently use the last one, and neither assignment sees the effect of the other.
  mutating func append(_ column: ExpressionNode, _ value: ExpressionNode) {
    var value = value
    if let id = column.columnID, list.contains(where: { $0.column.columnID == id }) {
      value = .invalid(
        QueryError("\(column.place?.table ?? "\(M.self)"): a column is assigned twice"))
    }
    list.append(Assignment(column: column, value: value))
  }
}

extension Assignments {
  /// Sets an optional column to an expression that is never NULL. SQL: `SET a = b`
  ///
  /// ```swift
  /// Post.update { $0.$readAt = $0.$createdAt }
  /// // UPDATE "Post" SET "readAt" = "createdAt"
  /// ```
  /// It is disfavoured, so that expressions on the right side of an assignment are optional if
  /// their column is.
  @_disfavoredOverload
  public subscript<Wrapped: ColumnValue>(
    dynamicMember path: KeyPath<M, ColumnReference<Wrapped?>>
  ) -> SQLExpression<Wrapped> {
    @available(
      *, unavailable,
      message: "the column may be NULL: write $0.$a.ifNull(…), or $0.$b.optional for the other side"
    )
    get { SQLExpression(.invalid(QueryError("the column may be NULL"))) }
    set { assign(columns[dynamicMember: path], newValue.optional) }
  }
}

extension Assignments {
  /// The columns of a group, which can be assigned one by one. SQL: `SET a_b = ?`
  ///
  /// ```swift
  /// Person.update { $0.$home.$city = "Rome" }
  /// // UPDATE "Person" SET "home_city" = ?
  /// ```
  public subscript<Group: _ColumnGroupValue>(
    dynamicMember path: KeyPath<M, GroupReference<Group>>
  ) -> Assignments<Group._Group> {
    get { Assignments<Group._Group>(columns[dynamicMember: path].columns, list) }
    set { take(newValue) }
  }

  /// Sets the columns of a group to its values, or to NULL for nil. SQL: `SET a_b = ?, a_c = ?`
  ///
  /// ```swift
  /// Person.update { $0.$home = Address(street: "Via Appia", city: "Rome"); $0.$work = nil }
  /// // UPDATE "Person" SET "home_street" = ?, "home_city" = ?, "work_street" = ?, "work_city" = ?
  /// ```
  @_disfavoredOverload
  public subscript<Group: _ColumnGroupValue>(
    dynamicMember path: KeyPath<M, GroupReference<Group>>
  ) -> Group {
    @available(*, unavailable, message: "a group of a command has no value in Swift")
    get { fatalError() }
    set {
      let group = columns[dynamicMember: path]
      do {
        for (column, value) in zip(try group.nodes, try newValue.values) {
          append(column, .value(value))
        }
      } catch {
        let problem = ExpressionNode.invalid(QueryError(String(describing: error)))
        append(problem, problem)
      }
    }
  }
}

extension _ColumnGroupValue {
  /// The values of the columns; NULL for each if there is no group.
  fileprivate var values: [BoundValue] {
    get throws {
      let slots = try _Group.layout.slots.slots
      guard let group = _presentGroup else { return slots.map { _ in .value(.null) } }
      return withUnsafeBytes(of: group) { memory in slots.map { $0.boundValue(in: memory) } }
    }
  }
}
