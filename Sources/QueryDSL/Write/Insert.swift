import SQLCore

/// An insert of models, of assigned columns, or of the rows of a query.
///
/// ```swift
/// try db.run(Post.insert { $0.$title = "News" })     // other columns get their defaults
/// // INSERT INTO "Post" ("title") VALUES (?)
/// let post = try db.first(Post.insert { $0.$title = "News" }.returning())
/// try db.run(Post.insert(posts).onConflictDoNothing())
/// ```
/// To insert models and get them back as they are stored, use the shorter `insert` of a connection.
/// - SeeAlso: <https://www.sqlite.org/lang_insert.html>
public struct Insert<M: TableModel>: Sendable {
  enum Source: Sendable {
    case models([M])
    case values([Assignment])
    case rows(RowValues)
    case query([ExpressionNode], SelectStatement)
  }

  let columns: Columns<M>
  let source: Source
  var conflicts: [ConflictClause] = []
  /// A mistake that the compiler cannot find. Rendering the statement throws this error.
  var problem: QueryError?

  /// The columns of the table; programs do not use it directly.
  public var _columns: Columns<M> { columns }

  /// The SQL of the statement, with its values. For several models, it is the SQL for the first
  /// model. Throws `QueryError` if the statement is invalid.
  public var sql: SQL {
    get throws { try rendered() }
  }
}

extension TableModel {
  /// Returns an insert of a model, to which ON CONFLICT and RETURNING clauses can be added.
  public static func insert(_ model: Self) -> Insert<Self> {
    Insert(columns: Columns(), source: .models([model]))
  }

  /// Returns an insert of models. One prepared statement inserts the models one after another.
  public static func insert(_ models: [Self]) -> Insert<Self> {
    Insert(columns: Columns(), source: .models(models))
  }

  /// Returns an insert of one row with the columns that the closure assigns. The other columns get
  /// their declared defaults, or NULL. SQL: `INSERT INTO "Post" ("title") VALUES (?)`
  ///
  /// An expression that names a column of the table throws `QueryError` when the statement runs,
  /// because there is no existing row.
  public static func insert(_ assign: (inout Assignments<Self>) -> Void) -> Insert<Self> {
    let columns = Columns<Self>()
    var assignments = Assignments(columns)
    assign(&assignments)
    return Insert(columns: columns, source: .values(assignments.list))
  }

  /// Returns an insert of the rows of a query. The query's columns must have the types of the named
  /// columns.
  ///
  /// ```swift
  /// Archived.insert(
  ///   \.$id, \.$title, from: Post.where { $0.$status == .archived }.select(\.$id, \.$title))
  /// // INSERT INTO "Archived" ("id", "title") SELECT "id", "title" FROM "Post" WHERE "status" = ?
  /// ```
  /// The columns that are not named get their defaults. One statement inserts all rows, without
  /// loading them.
  public static func insert<each Value: ColumnValue, Q: Fetchable>(
    _ paths: repeat KeyPath<Self, ColumnReference<each Value>>, from query: Q
  ) -> Insert<Self> where Q.Row == (repeat each Value) {
    let columns = Columns<Self>()
    var targets: [(node: ExpressionNode, form: StoredForm)] = []
    for path in repeat each paths {
      let column = columns[dynamicMember: path]
      targets.append((column.node, column.form))
    }
    return Insert(columns: columns, targets, query.query)
  }

  /// Returns an insert of the rows of a query with one column.
  /// SQL: `INSERT INTO "T" ("a") SELECT …`
  public static func insert<Value: ColumnValue, Q: Fetchable>(
    _ path: KeyPath<Self, ColumnReference<Value>>, from query: Q
  ) -> Insert<Self> where Q.Row == Value {
    let columns = Columns<Self>()
    let column = columns[dynamicMember: path]
    return Insert(columns: columns, [(column.node, column.form)], query.query)
  }

  /// Returns an insert of the rows of a query of models. SQL: `INSERT INTO "T" ("a", "b") SELECT …`
  ///
  /// ```swift
  /// Archived.insert(from: Post.where { $0.$status == .archived }.select(into: Archived.self))
  /// ```
  public static func insert<Q: Fetchable>(from query: Q) -> Insert<Self>
  where Q.Row == Self {
    let columns = Columns<Self>()
    do {
      let layout = try Self.layout
      guard layout.generatedColumns.isEmpty else {
        throw QueryError("\(tableName) has generated columns; name the other columns before `from`")
      }
      let targets = layout.columns.indices.map { index in
        let column = ColumnID(table: columns.table, index: UInt16(truncatingIfNeeded: index))
        return (node: ExpressionNode.column(column), form: layout.columns[index].form)
      }
      return Insert(columns: columns, targets, query.query)
    } catch {
      var insert = Insert(columns: columns, source: .values([]))
      insert.problem = error as? QueryError ?? QueryError(String(describing: error))
      return insert
    }
  }
}

extension Insert {
  fileprivate init<Row>(
    columns: Columns<M>, _ targets: [(node: ExpressionNode, form: StoredForm)],
    _ query: Query<Row>
  ) {
    var statement = query.statement
    let problem = Self.difference(targets, query, &statement)
    self.init(columns: columns, source: .query(targets.map(\.node), statement))
    self.problem = problem
  }

  /// Returns an error if the query's columns do not match the columns into which they are inserted.
  /// The compiler compares the types of the columns, but not their stored forms. An expression that
  /// has no stored form of its own gets the form of its target column.
  private static func difference<Row>(
    _ targets: [(node: ExpressionNode, form: StoredForm)], _ query: Query<Row>,
    _ statement: inout SelectStatement
  ) -> QueryError? {
    if query.decoding.isMapped { return .mapped }
    guard let given = try? query.decoding.columns(), given.count == targets.count else {
      return QueryError("the query does not select the columns that it inserts into \(M.tableName)")
    }
    let forms = statement.adaptSelection(of: given, to: targets.map(\.form))
    for (index, target) in targets.enumerated() where target.form != forms[index] {
      return QueryError(
        "the query selects \(given[index].type) in the form .\(forms[index]), but "
          + "\(M.tableName) stores it in the form .\(target.form)")
    }
    return nil
  }
}
