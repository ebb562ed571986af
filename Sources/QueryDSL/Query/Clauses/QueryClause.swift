import SQLCore

/// One or several clauses of a `Query { }`.
public struct QueryClause: Sendable {
  enum Kind: Sendable {
    case with(CommonTableNode)
    case from(TableReference)
    case join(SQLToken, TableReference, PredicateNode?)
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
