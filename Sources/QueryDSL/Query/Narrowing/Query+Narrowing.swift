import SQLCore

// The methods in this file refine an existing query, so that several queries can share its joins
// and conditions.
//
// The parameters of a closure stand for tables of the query, which are found by their models. The
// first parameter of the type `Columns<Post>` stands for the first table of `Post` in FROM and the
// joins. A second parameter of this type stands for the next table of `Post`. If a join may find no
// row of a table, its parameter needs the type `OptionalColumns`.

extension Query {
  /// Adds conditions on tables of the query. A row must match all predicates of the closure, and
  /// the existing conditions. SQL: `WHERE a AND b`
  ///
  /// ```swift
  /// let feed = Query { (post: Columns<Post>, author: Columns<Author>) in
  ///   From(post)
  ///   Join(author, on: post.$authorID == author.$id)
  ///   OrderBy(post.$createdAt, .descending)
  ///   Select(post.$title, author.$name)
  /// }
  /// let hers = feed.where { (author: Columns<Author>) in author.$name == "Jane" }.limit(20)
  /// // SELECT … FROM "Post" JOIN "Author" ON … WHERE "Author"."name" = ?
  /// //   ORDER BY "Post"."createdAt" DESC LIMIT ?
  /// ```
  /// A limit counts only the rows that match the new conditions, even if the limit was set first.
  /// Each parameter of the closure stands for the next table of its model in the query. If there is
  /// no such table, or if the query is a UNION, INTERSECT or EXCEPT, the query throws `QueryError`
  /// when it is rendered.
  public consuming func `where`<each Table: TableColumns>(
    @PredicateBuilder _ predicates: (repeat each Table) -> PredicateLines
  ) -> Self {
    let tables = _QueryTables(of: statement)
    statement.add(predicates(repeat (each Table)(_from: tables)))
    statement.note(tables.problem)
    return self
  }

  /// Restricts the result to groups that match all predicates of the closure, in addition to the
  /// existing conditions. SQL: `HAVING count(*) > ?`
  ///
  /// As in `where`, each parameter of the closure stands for a table of the query. If there is no
  /// such table, the query throws `QueryError` when it is rendered.
  public consuming func having<each Table: TableColumns>(
    @PredicateBuilder _ predicates: (repeat each Table) -> PredicateLines
  ) -> Self {
    let tables = _QueryTables(of: statement)
    statement.having.append(contentsOf: predicates(repeat (each Table)(_from: tables)).nodes)
    statement.note(tables.problem)
    return self
  }

  /// Orders by an expression, after the existing terms of ORDER BY. SQL: `ORDER BY a, b DESC`
  ///
  /// ```swift
  /// feed.order { (author: Columns<Author>) in author.$name }
  /// feed.order(by: { (author: Columns<Author>) in author.$name.length() }, .descending)
  /// ```
  /// As in `where`, each parameter of the closure stands for a table of the query. If there is no
  /// such table, the query throws `QueryError` when it is rendered.
  public consuming func order<Value: ColumnValue, each Table: TableColumns>(
    by expression: (repeat each Table) -> SQLExpression<Value>,
    _ direction: SortDirection = .ascending, nulls: NullOrder? = nil
  ) -> Self {
    let tables = _QueryTables(of: statement)
    let node = expression(repeat (each Table)(_from: tables)).collatedNode
    statement.addOrder(node, direction, nulls)
    statement.note(tables.problem)
    return self
  }

  /// Orders by the result column with the given name or alias, after the existing terms of ORDER
  /// BY.
  /// SQL: `ORDER BY "views"`
  ///
  /// If no selected column has that name, the query throws `QueryError` when it is rendered.
  public consuming func order(
    byColumn name: String, _ direction: SortDirection = .ascending, nulls: NullOrder? = nil
  ) -> Self {
    statement.addOrder(statement.resultColumn(named: name), direction, nulls)
    return self
  }

  /// Limits the result to `count` rows. SQL: `LIMIT ?`
  ///
  /// The new limit replaces the limit of the query; nil removes the limit. A negative `count`
  /// throws `QueryError` when the query is rendered.
  public consuming func limit(_ count: Int?) -> Self {
    statement.setLimit(count)
    return self
  }

  /// Limits the number of rows by an expression, such as a parameter of a prepared query or a
  /// subquery. SQL: `LIMIT a`
  ///
  /// If the expression is a parameter, a negative argument throws `QueryError`. Any other negative
  /// value means no limit, as in SQL. NULL throws `DatabaseError`. The expression cannot name
  /// columns of the query.
  public consuming func limit(_ count: SQLExpression<Int>) -> Self {
    statement.setLimit(count)
    return self
  }

  /// Skips the first `count` rows. SQL: `OFFSET ?`
  ///
  /// The new offset replaces the offset of the query; nil removes the offset. A negative `count`
  /// throws `QueryError` when the query is rendered.
  public consuming func offset(_ count: Int?) -> Self {
    statement.setOffset(count)
    return self
  }

  /// Skips the number of rows that an expression gives, such as a parameter of a prepared query or
  /// a subquery. SQL: `OFFSET a`
  public consuming func offset(_ count: SQLExpression<Int>) -> Self {
    statement.setOffset(count)
    return self
  }

  /// Removes duplicate rows. SQL: `SELECT DISTINCT`
  ///
  /// A compound query, such as a UNION ALL, throws `QueryError` when the query is rendered. Use
  /// `union`, which removes duplicates.
  public consuming func distinct() -> Self {
    statement.isDistinct = true
    if statement.extras?.content.compound != nil {
      statement.note(QueryError("a compound query cannot be DISTINCT; use `union`"))
    }
    return self
  }
}

extension Query where Row: ResultRow {
  /// Adds conditions on the table whose rows the query selects. SQL: `WHERE a AND b`
  ///
  /// ```swift
  /// let posts = Query { (post: Columns<Post>, author: Columns<Author>) in
  ///   From(post)
  ///   Join(author, on: post.$authorID == author.$id)
  ///   Select(post)
  /// }
  /// posts.where { $0.$views > 100 }        // … WHERE "Post"."views" > ?
  /// ```
  /// A row type that is not a table of the query throws `QueryError` when the query is rendered.
  public consuming func `where`(
    @PredicateBuilder _ predicates: (Columns<Row>) -> PredicateLines
  ) -> Self {
    let tables = _QueryTables(of: statement)
    statement.add(predicates(Columns(_from: tables)))
    statement.note(tables.problem)
    return self
  }

  /// Orders by a column of the result, after the existing terms of ORDER BY. SQL:
  /// `ORDER BY "title"`
  ///
  /// If the key path is not a column of the row type, or if the query does not select this column,
  /// the query throws `QueryError` when it is rendered.
  public consuming func order<Value: ColumnValue>(
    by column: KeyPath<Row, ColumnReference<Value>>, _ direction: SortDirection = .ascending,
    nulls: NullOrder? = nil
  ) -> Self {
    guard let layout = try? Row.layout, let index = layout.index(of: column) else {
      statement.note(Columns<Row>.noColumn(column))
      return self
    }
    return order(byColumn: layout.columns[index].name, direction, nulls: nulls)
  }
}

extension SelectStatement {
  /// Returns the expression for ORDER BY that stands for a result column.
  ///
  /// A column of a table is written with the name of its table, because two tables of a join may
  /// have columns with the same name.
  func resultColumn(named name: String) -> ExpressionNode {
    guard extras?.content.compound == nil else { return .resultColumn(name) }
    let terms: [SelectTerm] =
      switch selection {
      case .table(let table): [.table(table)]
      case .terms(let terms): terms
      }
    for term in terms {
      switch term {
      case .aliased(_, let alias) where alias.isSame(as: name): return .resultColumn(name)
      case .expression(.column(let id)):
        guard
          let column = LayoutRegistry.shared.layout(number: id.table.layout)?
            .columns[Int(id.index)], column.name.isSame(as: name)
        else { continue }
        return ExpressionNode.column(id).collated(as: column.type)
      case .table(let table):
        guard let layout = LayoutRegistry.shared.layout(number: table.layout),
          let index = layout.index(named: name)
        else { continue }
        let id = ColumnID(table: table, index: UInt16(truncatingIfNeeded: index))
        return ExpressionNode.column(id).collated(as: layout.columns[index].type)
      case .aliased, .expression: continue
      }
    }
    return .resultColumn(name)
  }
}

extension CompoundQuery where Row: ResultRow {
  /// Restricts the combined rows to those that match all predicates of the closure.
  /// SQL: `SELECT … FROM (… UNION …) AS "Post" WHERE a`
  ///
  /// ```swift
  /// Post.where { $0.$views > 100 }.union(Post.where { $0.$status == .draft })
  ///   .where { $0.$title.like("Sw%") }.order(by: \.$title)
  /// ```
  /// The compound query becomes a subquery in FROM. Its order, limit and offset then apply to the
  /// rows that match. If the rows are values or tuples, call `where` on each of the combined
  /// queries, or select into a struct.
  public consuming func `where`(
    @PredicateBuilder _ predicates: (Columns<Row>) -> PredicateLines
  ) -> Self {
    becomeTable()
    query.statement.add(predicates(Columns(query.statement.from)))
    return self
  }

  /// Moves the compound query into the FROM of a new query, unless an earlier call has already
  /// moved it.
  private mutating func becomeTable() {
    var compound = query.statement
    guard compound.extras?.content.compound != nil else { return }
    let columns = Columns<Row>()
    var outer = SelectStatement(selection: .table(columns.table), from: columns.table)
    (outer.order, outer.limit, outer.offset) = (compound.order, compound.limit, compound.offset)
    (compound.order, compound.limit, compound.offset) = (.none, nil, nil)
    outer.note(compound.problem)
    outer.changeExtras { $0.sources = [(columns.table, .query(compound))] }
    query.statement = outer
  }
}
