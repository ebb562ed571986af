import SQLCore

/// One or several clauses of a `Query { }`.
public struct QueryClause: Sendable {
  // The large clauses are behind a reference, so that the others are small.
  enum Kind: Sendable {
    case with(CommonTableNode)
    case from(TableReference)
    indirect case join(SQLToken, TableReference, PredicateNode?)
    case predicates(ShortList<PredicateNode>)
    case groups([ExpressionNode])
    case having(ShortList<PredicateNode>)
    indirect case window(String, WindowSpecification)
    case order([SelectStatement.OrderTerm])
    case limit(Int)
    case offset(Int)
    case limitParameter(SQLExpression<Int>)
    case offsetParameter(SQLExpression<Int>)
    case distinct
  }

  var kinds: [Kind]

  init(_ kind: Kind) {
    kinds = [kind]
  }

  init(joining clauses: [QueryClause]) {
    kinds = clauses.flatMap(\.kinds)
  }
}
