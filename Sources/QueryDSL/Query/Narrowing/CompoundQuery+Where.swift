import SQLCore

extension CompoundQuery where Row: ResultRow {
  /// Restricts the rows of the compound to those for which each line holds.
  /// SQL: `SELECT … FROM (… UNION …) AS "Post" WHERE a`
  ///
  /// ```swift
  /// Post.where { $0.$views > 100 }.union(Post.where { $0.$status == .draft })
  ///   .where { $0.$title.like("Sw%") }.order(by: \.$title)
  /// ```
  /// The compound becomes a table of another query; its order, limit and offset apply to the rows
  /// that remain. To restrict the rows of a compound of values or tuples, restrict its queries, or
  /// select into a struct.
  public consuming func `where`(
    @PredicateBuilder _ predicates: (Columns<Row>) -> PredicateLines
  ) -> Self {
    becomeTable()
    query.statement.add(predicates(Columns(query.statement.from)))
    return self
  }

  /// Makes the compound a table of another query, unless an earlier call has.
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
