import SQLCore

/// Collects the clauses of a `Query { }`, in any order. All clauses except `Select` may be inside
/// `if`, `switch` and `for`.
@resultBuilder
public enum QueryBuilder {
  /// Takes a clause.
  public static func buildExpression(_ clause: QueryClause) -> QueryClause { clause }

  /// Takes the SELECT clause.
  public static func buildExpression<Row>(_ select: SelectClause<Row>) -> SelectClause<Row> {
    select
  }

  /// Not available: a predicate is not a clause.
  @available(*, unavailable, message: "a predicate must be inside Where { } or Having { }")
  public static func buildExpression(_ predicate: SQLPredicate) -> QueryClause {
    QueryClause(joining: [])
  }

  /// Takes the first clause.
  public static func buildPartialBlock(first: QueryClause) -> QueryClause { first }

  /// Takes the SELECT clause, if it is the first clause.
  public static func buildPartialBlock<Row>(first: SelectClause<Row>) -> SelectClause<Row> {
    first
  }

  /// Adds a clause to the clauses above it.
  public static func buildPartialBlock(
    accumulated: QueryClause, next: QueryClause
  ) -> QueryClause {
    QueryClause(joining: [accumulated, next])
  }

  /// Adds the SELECT clause to the clauses above it.
  public static func buildPartialBlock<Row>(
    accumulated: QueryClause, next: SelectClause<Row>
  ) -> SelectClause<Row> {
    var select = next
    select.clauses = QueryClause(joining: [accumulated, next.clauses])
    return select
  }

  /// Adds a clause after the SELECT clause.
  public static func buildPartialBlock<Row>(
    accumulated: SelectClause<Row>, next: QueryClause
  ) -> SelectClause<Row> {
    var select = accumulated
    select.clauses = QueryClause(joining: [accumulated.clauses, next])
    return select
  }

  /// Not available: a query has one SELECT clause.
  @available(*, unavailable, message: "a query has one Select(…): give it all items")
  public static func buildPartialBlock<Row, Other>(
    accumulated: SelectClause<Row>, next: SelectClause<Other>
  ) -> SelectClause<Row> {
    accumulated
  }

  /// Takes the clauses of an `if` without `else`.
  public static func buildOptional(_ clause: QueryClause?) -> QueryClause {
    clause ?? QueryClause(joining: [])
  }

  /// Takes the clauses of an `if` branch that an `else` follows.
  public static func buildEither(first clause: QueryClause) -> QueryClause { clause }

  /// Takes the clauses of an `else`.
  public static func buildEither(second clause: QueryClause) -> QueryClause { clause }

  /// Takes the clauses of a `for`.
  public static func buildArray(_ clauses: [QueryClause]) -> QueryClause {
    QueryClause(joining: clauses)
  }

  /// Makes the query.
  public static func buildFinalResult<Row>(_ select: SelectClause<Row>) -> Query<Row> {
    Query(statement: SelectStatement(select), decoding: select.decoding)
  }

  /// Not available: a query without a SELECT clause has no rows.
  @available(*, unavailable, message: "the query needs a Select(…): it says what each row holds")
  public static func buildFinalResult(_ clause: QueryClause) -> Query<Never> {
    Query(
      statement: SelectStatement(
        selection: .terms([]), from: .none),
      decoding: .parts(RowParts()) { throw QueryError("no Select") })
  }
}

extension Query {
  /// Makes a query over several tables, which are the closure's parameters.
  ///
  /// ```swift
  /// Query { (post: Columns<Post>, author: Columns<Author>) in
  ///   From(post)
  ///   Join(author, on: post.$authorID == author.$id)
  ///   Where { post.$status == .published }
  ///   OrderBy(post.$createdAt, .descending)
  ///   Limit(20)
  ///   Select(post.$title, author.$name)        // the row type: (String, String)
  /// }
  /// ```
  ///
  /// A query that selects only values has no parameters and no From: `Query { Select(1, "a") }`.
  ///
  /// To use a model twice, give the closure two parameters of its type. The table on the right side
  /// of a left join has the type `OptionalColumns`. Mistakes that the compiler cannot see, such as
  /// a table that is not in FROM, throw `QueryError` when the query is rendered, before any SQL
  /// runs.
  public init<each Table: TableColumns>(
    @QueryBuilder _ body: (repeat each Table) -> Query<Row>
  ) {
    self = body(repeat (each Table).init())
    // A closure without parameters has no tables, so the query selects only values and needs no
    // FROM.
    var count = 0
    for _ in repeat (each Table).self { count += 1 }
    if count > 0, statement.from.isNone { statement.note(SelectStatement.noFrom) }
  }
}

extension SelectStatement {
  /// Makes the SELECT statement from the clauses, which may come in any order.
  fileprivate init<Row>(_ select: SelectClause<Row>) {
    self.init(selection: .terms(select.terms), from: .none)
    note(select.problem)
    var from: TableReference?
    var joined: [(kind: SQLToken, table: TableReference)] = []
    for kind in select.clauses.kinds {
      switch kind {
      case .with(let table): changeExtras { $0.commonTables.append(table) }
      case .from(let table):
        if from != nil { note(QueryError("FROM is given twice")) }
        from = table
      case .join(let kind, let table, let condition):
        joined.append((kind, table))
        joins.append(Join(kind: kind, table: table.table, condition: condition))
      case .predicates(let nodes): predicates.append(contentsOf: nodes)
      case .groups(let nodes):
        if !groups.isEmpty { note(QueryError("GROUP BY is given twice")) }
        groups = nodes
      case .having(let nodes): having.append(contentsOf: nodes)
      case .window(let name, let window): add(window, named: name)
      case .order(let terms): for term in terms { order.append(term) }
      case .limit(let count):
        checkSingle(limit, "LIMIT")
        setLimit(count)
      case .offset(let count):
        checkSingle(offset, "OFFSET")
        setOffset(count)
      case .limitExpression(let count):
        checkSingle(limit, "LIMIT")
        setLimit(count)
      case .offsetExpression(let count):
        checkSingle(offset, "OFFSET")
        setOffset(count)
      case .distinct:
        if isDistinct { note(QueryError("DISTINCT is given twice")) }
        isDistinct = true
      }
    }
    guard let from else {
      if !joined.isEmpty { note(Self.noFrom) }
      return
    }
    self.from = from.table
    // The tables are added after all clauses have been read, because a join may be written before
    // FROM.
    add(from, joined)
  }

  /// Records an error if LIMIT or OFFSET is given twice.
  private mutating func checkSingle(_ count: RowCount?, _ clause: String) {
    if count != nil { note(QueryError("\(clause) is given twice")) }
  }

  fileprivate static var noFrom: QueryError { QueryError("the query has no From(…)") }

  private mutating func add(_ window: WindowSpecification, named name: String) {
    let known = extras?.content.windows ?? []
    if known.contains(where: { $0.name.isSame(as: name) }) {
      note(QueryError("the window \(name) is given twice"))
    }
    changeExtras { $0.windows.append((name, window)) }
  }

  private mutating func add(
    _ from: TableReference, _ joined: [(kind: SQLToken, table: TableReference)]
  ) {
    let references = [from] + joined.map(\.table)
    for reference in references {
      note(reference.problem)
      guard let source = reference.source else { continue }
      changeExtras { $0.sources.append((reference.table, source)) }
    }
    for (index, table) in tables.enumerated() where tables[..<index].contains(table) {
      note(
        QueryError(
          "the table \(Self.name(of: table)) is joined twice; to use a model twice, give the "
            + "query two parameters of its type"))
    }
    checkNullability(from, joined)
  }

  /// Records an error if a RIGHT or FULL JOIN may find no row of an earlier table, but the columns
  /// of that table are not optional. The compiler requires optional columns only on the right side
  /// of a LEFT or FULL JOIN. Also records an error if the right side of a RIGHT or FULL JOIN is a
  /// table-valued function.
  private mutating func checkNullability(
    _ from: TableReference, _ joined: [(kind: SQLToken, table: TableReference)]
  ) {
    var before = [from]
    for (kind, table) in joined {
      if kind == .right || kind == .full, case .function(let name, _) = table.source {
        // SQLite 3.40 does not find all matches of a RIGHT or FULL JOIN if its right side is a
        // function with arguments.
        note(
          QueryError(
            "\(name) cannot be the right side of a RIGHT or FULL JOIN: join its query, "
              + "`call.query.as(columns)`, or write it first"))
      }
      if kind == .right || kind == .full, let bare = before.first(where: { !$0.isOptional }) {
        let name = Self.name(of: bare.table)
        note(
          QueryError(
            "the \(kind == .right ? "RIGHT" : "FULL") JOIN of \(Self.name(of: table.table)) may "
              + "find no row of \(name): its parameter must be OptionalColumns<\(name)>"))
      }
      before.append(table)
    }
  }

  private static func name(of table: TableID) -> String {
    LayoutRegistry.shared.layout(number: table.layout)?.tableName ?? "a table"
  }
}
