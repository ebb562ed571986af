import SQLCore

/// Collects the clauses of a `Query { }`, in any order; `if`, `switch` and `for` work around all
/// but `Select`.
@resultBuilder
public enum QueryBuilder {
  /// A clause.
  public static func buildExpression(_ clause: QueryClause) -> QueryClause { clause }

  /// The SELECT.
  public static func buildExpression<Row>(_ select: SelectClause<Row>) -> SelectClause<Row> {
    select
  }

  /// The first clause.
  public static func buildPartialBlock(first: QueryClause) -> QueryClause { first }

  /// The SELECT, before all clauses.
  public static func buildPartialBlock<Row>(first: SelectClause<Row>) -> SelectClause<Row> {
    first
  }

  /// A clause behind others.
  public static func buildPartialBlock(
    accumulated: QueryClause, next: QueryClause
  ) -> QueryClause {
    QueryClause(joining: [accumulated, next])
  }

  /// The SELECT behind clauses.
  public static func buildPartialBlock<Row>(
    accumulated: QueryClause, next: SelectClause<Row>
  ) -> SelectClause<Row> {
    var select = next
    select.clauses = QueryClause(joining: [accumulated, next.clauses])
    return select
  }

  /// A clause behind the SELECT.
  public static func buildPartialBlock<Row>(
    accumulated: SelectClause<Row>, next: QueryClause
  ) -> SelectClause<Row> {
    var select = accumulated
    select.clauses = QueryClause(joining: [accumulated.clauses, next])
    return select
  }

  /// The clauses of an `if`.
  public static func buildOptional(_ clause: QueryClause?) -> QueryClause {
    clause ?? QueryClause(joining: [])
  }

  /// The clauses of an `if`, with an `else` behind it.
  public static func buildEither(first clause: QueryClause) -> QueryClause { clause }

  /// The clauses of an `else`.
  public static func buildEither(second clause: QueryClause) -> QueryClause { clause }

  /// The clauses of a `for`.
  public static func buildArray(_ clauses: [QueryClause]) -> QueryClause {
    QueryClause(joining: clauses)
  }

  /// The query.
  public static func buildFinalResult<Row>(_ select: SelectClause<Row>) -> Request<Row> {
    Request(statement: SelectStatement(select), decoding: select.decoding)
  }

  /// A query without a SELECT has no rows.
  @available(*, unavailable, message: "the query needs a Select(…): it says what each row holds")
  public static func buildFinalResult(_ clause: QueryClause) -> Request<Never> {
    Request(
      statement: SelectStatement(
        selection: .terms([]), from: TableID(layout: 0, source: 0)),
      decoding: .rows(columns: { [] }) { _ in throw QueryError("no Select") })
  }
}

/// A query over several tables: they are the closure's parameters.
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
/// The same model twice is two parameters. The right side of a left join is `OptionalColumns`. What
/// the compiler cannot see, such as a table that is not in FROM, throws `QueryError` when the query
/// is rendered, before any SQL runs.
public func Query<each Table: TableScope, Row>(
  @QueryBuilder _ body: (repeat each Table) -> Request<Row>
) -> Request<Row> {
  var position = -1
  func next<T: TableScope>(_: T.Type) -> T {
    position += 1
    return T.scope(at: position)
  }
  return body(repeat next((each Table).self))
}

extension SelectStatement {
  /// The clauses put in their places.
  fileprivate init<Row>(_ select: SelectClause<Row>) {
    self.init(selection: .terms(select.terms), from: TableID(layout: 0, source: 0))
    var hasFrom = false
    for kind in select.clauses.kinds {
      switch kind {
      case .from(let table):
        if hasFrom { problem = problem ?? QueryError("FROM is given twice") }
        from = table
        hasFrom = true
      case .join(let join): joins.append(join)
      case .predicates(let nodes): predicates += nodes
      case .groups(let nodes): groups += nodes
      case .having(let nodes): having += nodes
      case .order(let terms): order += terms
      case .limit(let count): setLimit(count)
      case .offset(let count): setOffset(count)
      case .distinct: isDistinct = true
      }
    }
    if !hasFrom { problem = problem ?? QueryError("the query has no From(…)") }
    // Asked at the end: a join may stand before FROM.
    if Set(tables).count < tables.count {
      problem =
        problem
        ?? QueryError(
          "a table is joined twice; the same model twice is two parameters of the query")
    }
  }
}
