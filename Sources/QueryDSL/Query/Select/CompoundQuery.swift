import SQLCore

// UNION, INTERSECT and EXCEPT compare whole rows, and consider NULL equal to NULL.
//
// If the queries store values in different forms, such as dates as text and as numbers, the
// compound throws `QueryError` when it is rendered.
// https://www.sqlite.org/lang_select.html#compound_select_statements

extension Fetchable {
  /// Returns the rows of both queries without duplicates. SQL: `SELECT … UNION SELECT …`
  public func union<Other: Fetchable>(_ other: Other) -> CompoundQuery<Row>
  where Other.Row == Row {
    CompoundQuery(self, .union, other)
  }

  /// Returns the rows of both queries. SQL: `SELECT … UNION ALL SELECT …`
  public func unionAll<Other: Fetchable>(_ other: Other) -> CompoundQuery<Row>
  where Other.Row == Row {
    CompoundQuery(self, .unionAll, other)
  }

  /// Returns the rows that both queries have, without duplicates.
  /// SQL: `SELECT … INTERSECT SELECT …`
  public func intersect<Other: Fetchable>(_ other: Other) -> CompoundQuery<Row>
  where Other.Row == Row {
    CompoundQuery(self, .intersect, other)
  }

  /// Returns the rows of this query that the other query does not have, without duplicates.
  /// SQL: `SELECT … EXCEPT SELECT …`
  public func except<Other: Fetchable>(_ other: Other) -> CompoundQuery<Row>
  where Other.Row == Row {
    CompoundQuery(self, .except, other)
  }
}

/// Several queries combined by `union`, `unionAll`, `intersect` or `except`.
///
/// ```swift
/// Post.where { $0.$views > 100 }.union(Post.where { $0.$status == .draft })
///   .order(by: \.$title).limit(20)
/// // SELECT … WHERE "views" > ? UNION SELECT … WHERE "status" = ? ORDER BY "title" LIMIT ?
/// ```
/// The queries are combined from left to right. An order and a limit apply to the whole compound.
/// Each of the combined queries keeps its own order and limit.
public struct CompoundQuery<Row: Sendable>: Fetchable {
  /// The SELECT of the query, with the way to read its rows.
  public internal(set) var query: Query<Row>

  fileprivate init(
    _ first: some Fetchable<Row>, _ operation: SQLToken, _ second: some Fetchable<Row>
  ) {
    let first = first.query
    var second = second.query
    let problem = Self.difference(first, &second)
    // If the first query is itself a compound, the second query is added to it as one more operand.
    // But if the first query is a compound with an order, a limit or WITH, it becomes a single
    // operand of a new compound.
    var statement = SelectStatement(selection: .terms([]), from: first.statement.from)
    if let left = first.statement.extras?.content.compound, first.statement.order.isEmpty,
      first.statement.limit == nil, first.statement.offset == nil,
      first.statement.extras?.content.commonTables.isEmpty ?? true
    {
      if left.others.count + 2 > TreeLimits.maximumQueries {
        statement.note(TreeLimits.tooManyQueries)
        statement.changeExtras { $0.compound = left }
      } else {
        statement.changeExtras { $0.compound = left.appending(operation, second.statement) }
      }
    } else {
      let operand = (operation: operation, statement: second.statement)
      statement.changeExtras {
        $0.compound = CompoundNode(first: first.statement, others: [operand])
      }
    }
    statement.note(first.statement.problem ?? second.statement.problem)
    if first.decoding.isMapped || second.decoding.isMapped { statement.note(.mapped) }
    statement.note(problem)
    query = Query(statement: statement, decoding: first.decoding)
  }

  /// Returns the reason why the rows of both queries cannot be read in the same way; nil if they
  /// can. If an expression of the second query, such as the current time, has no stored form of its
  /// own, it gets the form of the expression at the same position in the first query.
  private static func difference(_ first: Query<Row>, _ second: inout Query<Row>) -> QueryError? {
    // If the row type is invalid, this function reports no difference, because fetching the rows
    // throws the error.
    guard let left = try? first.decoding.columns(), let right = try? second.decoding.columns()
    else {
      return nil
    }
    guard left.count == right.count else {
      return QueryError("the queries of a UNION, INTERSECT or EXCEPT do not have the same columns")
    }
    let forms = second.statement.adaptSelection(of: right, to: left.map(\.form))
    for (left, form) in zip(left, forms) where left.form != form {
      return QueryError(
        "the queries of a UNION, INTERSECT or EXCEPT store \(left.type) in different forms, "
          + ".\(left.form) and .\(form)")
    }
    return nil
  }

  /// Orders by the result column with the given name. SQL: `ORDER BY "name"`
  ///
  /// The name must be the name of a column or an alias in the first query. Otherwise the query
  /// throws `QueryError` when it is rendered.
  public consuming func order(
    byColumn name: String, _ direction: SortDirection = .ascending, nulls: NullOrder? = nil
  ) -> Self {
    query.statement.addOrder(.resultColumn(name), direction, nulls)
    return self
  }

  /// Limits the result to `count` rows. SQL: `LIMIT ?`
  ///
  /// The new limit replaces an earlier limit; nil removes the limit. A negative `count` throws
  /// `QueryError` when the query is rendered.
  public consuming func limit(_ count: Int?) -> Self {
    query.statement.setLimit(count)
    return self
  }

  /// Skips the first `count` rows. SQL: `OFFSET ?`
  ///
  /// The new offset replaces an earlier offset; nil removes the offset. A negative `count` throws
  /// `QueryError` when the query is rendered.
  public consuming func offset(_ count: Int?) -> Self {
    query.statement.setOffset(count)
    return self
  }
}

extension CompoundQuery where Row: ResultRow {
  /// Orders by a column of the model or row type. SQL: `ORDER BY "title"`
  public consuming func order<Value: ColumnValue>(
    by column: KeyPath<Row, ColumnReference<Value>>, _ direction: SortDirection = .ascending,
    nulls: NullOrder? = nil
  ) -> Self {
    guard let layout = try? Row.layout, let index = layout.index(of: column) else {
      query.statement.note(Columns<Row>.noColumn(column))
      return self
    }
    return order(byColumn: layout.columns[index].name, direction, nulls: nulls)
  }
}
