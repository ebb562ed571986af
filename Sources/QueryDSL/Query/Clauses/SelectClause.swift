import SQLCore

/// The SELECT clause of a `Query { }`, which determines the type of the rows.
public struct SelectClause<Row>: Sendable {
  let terms: [SelectStatement.SelectTerm]
  let decoding: RowDecoding<Row>
  /// An error in the clause, which is thrown when the query is rendered.
  var problem: QueryError?
  /// The clauses before and after it.
  var clauses = QueryClause(joining: [])
}
