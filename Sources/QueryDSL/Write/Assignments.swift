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

  /// Writes the column's name without its table. If the column is an invalid expression, rendering
  /// throws its error.
  func writeColumn(to writer: inout ShapeWriter) {
    guard let columnID = column.columnID else { return column.write(to: &writer) }
    writer.columnName(columnID)
  }
}

extension ExpressionNode {
  /// The column if the expression is a column; otherwise nil.
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
  /// Only an upsert has such a row. If another command uses `new`, rendering the command throws
  /// `QueryError`.
  public var new: Columns<M> { excluded.map { Columns($0) } ?? Columns() }

  /// Takes over the assignments of a column group. The list of the group replaces this list,
  /// because it begins with the same assignments.
  mutating func take<Group>(_ group: Assignments<Group>) {
    list = group.list
  }

  /// The value of the column. Setting it assigns an expression to the column.
  ///
  /// ```swift
  /// Post.update { $0.$views = $0.$views * 2 }
  /// // UPDATE "Post" SET "views" = "views" * ?
  /// ```
  /// If the key path is in a variable, write `$0[dynamicMember: path] = "x"`.
  @inlinable
  public subscript<Value: ColumnValue>(
    dynamicMember path: KeyPath<M, ColumnReference<Value>>
  ) -> SQLExpression<Value> {
    // The accessors are inlined, because the compiler can then replace a key path literal by a load
    // of the column's index.
    @inline(__always) get { columns[dynamicMember: path] }
    @inline(__always) set { assign(columns[dynamicMember: path], newValue) }
  }

  @usableFromInline
  mutating func assign<Value: ColumnValue>(
    _ column: SQLExpression<Value>, _ value: SQLExpression<Value>
  ) {
    append(column.node, value.node(as: column.form) ?? .invalid(column.mixing(value.form)))
  }

  /// Adds an assignment. If a column is assigned twice, rendering throws an error. SQLite would
  /// silently ignore the first assignment. For example, `a = a + 1, a = a * 2` only doubles `a`,
  /// because each expression sees the row before the update.
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
  /// The compiler prefers the subscript that returns an optional expression. So an optional column
  /// on the right side of an assignment is an optional expression.
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

  /// Sets all columns of a group to the values of an instance. nil sets all of them to NULL.
  /// SQL: `SET a_b = ?, a_c = ?`
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
  /// The values of the group's columns. If the group is nil, every value is NULL.
  fileprivate var values: [BoundValue] {
    get throws {
      let slots = try _Group.layout.slots.slots
      guard let group = _presentGroup else { return slots.map { _ in .value(.null) } }
      return withUnsafeBytes(of: group) { memory in slots.map { $0.boundValue(in: memory) } }
    }
  }
}
