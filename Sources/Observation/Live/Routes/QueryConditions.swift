import QueryDSL
import SQLCore

/// The conditions that a query has for the rows of each of its tables, in the main query and in
/// subqueries. Only conditions that compare a column, for example with a bound value, are used.
///
/// If a row meets the conditions neither before nor after a change, the change cannot affect the
/// result. A condition that is not understood is left out. This is safe, because more rows than
/// necessary then count as relevant, but never fewer.
struct QueryConditions: Sendable {
  /// A condition on a column. The column must equal one of some values, or be less or greater than
  /// a value.
  struct Condition: Hashable, Sendable {
    enum Relation { case equal, less, lessOrEqual, greater, greaterOrEqual }

    let column: UInt16
    var relation = Relation.equal
    let value: Value
  }

  enum Value: Hashable, Sendable {
    /// The query's bound value with this index. If it is an array, the column must equal any of its
    /// elements.
    case bound(Int)
    case constant(Int64)
    /// A column of another table. The table is given by its index in `tables`.
    case column(table: Int, UInt16)
  }

  /// A table of a FROM clause, and the conditions on its rows. `alternatives` are the branches of
  /// an OR: a row matters only if it meets all conditions of at least one branch.
  struct Table: Sendable {
    let layout: UInt16
    /// Whether this is the table of a model, and not a query or a function.
    let isModel: Bool
    fileprivate(set) var alternatives: [[Condition]] = [[]]
  }

  private(set) var tables: [Table] = []
  /// Whether all tables that the query reads are known. False if the query contains raw SQL, which
  /// may read any table.
  private(set) var isComplete = true

  /// The bound values of the query. An argument is in the list without its value.
  let values: [BoundValue]

  private var scopes: [Scope] = []
  private var valueCount = 0

  init(of shape: Shape) {
    values = shape.values
    shape.forEachPart { take($0) }
    if !scopes.isEmpty { isComplete = false }
  }

  /// A condition on a column of one of the SELECT's tables.
  fileprivate struct Comparison: Hashable {
    /// The index of the table in `QueryConditions.tables`.
    let table: Int
    let condition: Condition
  }

  /// An element of a WHERE or ON clause.
  fileprivate enum Part: Equatable {
    /// A column of a table. The table is given by its index in `tables`.
    case column(table: Int, UInt16)
    case value(Int)
    case token(SQLToken)
    /// Any other expression, such as a query.
    case other
  }

  fileprivate enum Clause {
    case other
    case `where`
    /// The ON clause of the table at this index. The ON of a LEFT JOIN does not limit the rows of
    /// the tables before it.
    case on(Int, isLeft: Bool)
  }

  /// A SELECT that is being read.
  fileprivate struct Scope {
    /// The indices of the SELECT's tables in `QueryConditions.tables`.
    let places: Range<Int>
    var clause = Clause.other
    var parts: [Part] = []
    /// The number of open parentheses and CASEs.
    var depth = 0
    /// The index of the last table that was read in FROM or in a join.
    var joined: Int
    var isLeft = false
    /// Whether the SELECT has a RIGHT or FULL JOIN. Such a join also returns rows that do not meet
    /// its condition, so no condition of the SELECT is used.
    var keepsRows = false
    /// The branches of an OR in the conditions. A row of the SELECT must meet all comparisons of at
    /// least one branch.
    var alternatives: [[Comparison]] = [[]]
  }

  private mutating func take(_ part: ShapePart) {
    switch part {
    case .openScope(let opened):
      let start = tables.count
      tables += opened.map { Table(layout: $0.layout, isModel: $0.kind == .model) }
      scopes.append(Scope(places: start..<tables.count, joined: start))
    case .closeScope: closeScope()
    case .fragment(_, let count):
      isComplete = false
      valueCount += count
    case .value:
      append(.value(valueCount))
      valueCount += 1
    case .column(.place(let scope, let index), let column)
    where scope < scopes.count && column != .max:
      append(.column(table: scopes[scope].places.lowerBound + index, column))
    case .table(.place(_, let index)):
      if let last = scopes.indices.last {
        scopes[last].joined = scopes[last].places.lowerBound + index
      }
      append(.other)
    case .token(let token): take(token)
    default: append(.other)
    }
  }

  private mutating func append(_ part: Part) {
    guard let last = scopes.indices.last, !scopes[last].isOutsideConditions else { return }
    scopes[last].parts.append(part)
  }

  private mutating func take(_ token: SQLToken) {
    guard let last = scopes.indices.last else { return }
    if scopes[last].depth == 0, scopes[last].take(clause: token) { return }
    append(.token(token))
    scopes[last].depth += token.nesting
  }

  private mutating func closeScope() {
    guard var scope = scopes.popLast() else { return }
    scope.endClause()
    append(.other)
    guard !scope.keepsRows else { return }
    for place in scope.places {
      let alternatives = scope.alternatives.map { comparisons in
        Set(comparisons.filter { $0.table == place }.map(\.condition))
      }
      tables[place].alternatives = Set(alternatives).map { Array($0) }
    }
  }
}

extension QueryConditions.Scope {
  fileprivate var isOutsideConditions: Bool {
    if case .other = clause { true } else { false }
  }

  /// Checks whether the token begins another clause. If so, ends the current clause and returns
  /// true.
  fileprivate mutating func take(clause token: SQLToken) -> Bool {
    switch token {
    case .where:
      endClause()
      clause = .where
    case .on:
      endClause()
      clause = .on(joined, isLeft: isLeft)
    case .inner, .cross, .left:
      endClause()
      isLeft = token == .left
    case .right, .full:
      endClause()
      keepsRows = true
    case .groupBy, .having, .orderBy, .limit, .noLimit, .offset, .window: endClause()
    default: return false
    }
    return true
  }

  fileprivate mutating func endClause() {
    defer { (clause, parts, depth) = (.other, [], 0) }
    var found = Self.alternatives(of: parts[...])
    switch clause {
    case .other: return
    case .where: break
    case .on(let table, isLeft: true):
      found = found.map { $0.filter { $0.table == table } }
    case .on(_, isLeft: false): break
    }
    alternatives = Self.all(alternatives, found)
  }

  // MARK: Conditions

  /// The greatest number of alternatives. If there are more, some conditions are left out.
  private static let maximumAlternatives = 16

  /// Returns the alternatives of the condition `first AND second`. For example, the alternatives of
  /// `(a OR b) AND c` are `a AND c` and `b AND c`.
  private static func all(
    _ first: [[QueryConditions.Comparison]], _ second: [[QueryConditions.Comparison]]
  ) -> [[QueryConditions.Comparison]] {
    // Leaving out a condition is safe, because then more rows matter, never fewer.
    guard first.count * second.count <= maximumAlternatives else { return first }
    return first.flatMap { first in second.map { first + $0 } }
  }

  /// Returns the alternatives of a condition. If the condition is not understood, returns one
  /// alternative without comparisons.
  private static func alternatives(of parts: ArraySlice<QueryConditions.Part>) -> [[QueryConditions
    .Comparison]]
  {
    let branches = split(parts, at: .or)
    guard branches.count == 1 else {
      let found = branches.flatMap { alternatives(of: $0) }
      return found.count <= maximumAlternatives ? found : [[]]
    }
    let operands = split(parts, at: .and)
    guard operands.count == 1 else {
      return operands.reduce([[]]) { all($0, alternatives(of: $1)) }
    }
    if let inner = insideParentheses(parts) { return alternatives(of: inner) }
    return [comparisons(Array(parts))]
  }

  /// Splits a condition at each AND, or at each OR, outside of parentheses. Does not split at the
  /// AND of a BETWEEN.
  private static func split(
    _ parts: ArraySlice<QueryConditions.Part>, at connective: SQLToken
  ) -> [ArraySlice<QueryConditions.Part>] {
    var pieces: [ArraySlice<QueryConditions.Part>] = []
    var (depth, start, betweens) = (0, parts.startIndex, 0)
    for index in parts.indices {
      guard case .token(let token) = parts[index] else { continue }
      depth += token.nesting
      guard depth == 0 else { continue }
      if token == .between { betweens += 1 }
      if token == .and, betweens > 0 {
        betweens -= 1
      } else if token == connective {
        pieces.append(parts[start..<index])
        start = index + 1
      }
    }
    return pieces + [parts[start...]]
  }

  /// If a pair of parentheses surrounds the whole condition, returns the content of the
  /// parentheses.
  private static func insideParentheses(_ parts: ArraySlice<QueryConditions.Part>) -> ArraySlice<
    QueryConditions.Part
  >? {
    guard parts.count > 2, parts.first == .token(.open) else { return nil }
    var depth = 0
    for index in parts.indices {
      if case .token(let token) = parts[index] { depth += token.nesting }
      if depth == 0 { return index == parts.endIndex - 1 ? parts.dropFirst().dropLast() : nil }
    }
    return nil
  }

  /// Returns the comparisons of a condition without AND and OR. Usually there is one comparison.
  /// There are two for a BETWEEN and for a condition that compares two columns. There is none if
  /// the condition is not understood.
  private static func comparisons(_ parts: [QueryConditions.Part]) -> [QueryConditions.Comparison] {
    func comparison(
      _ table: Int, _ column: UInt16, _ value: QueryConditions.Value,
      _ relation: QueryConditions.Condition.Relation = .equal
    ) -> QueryConditions.Comparison {
      .init(table: table, condition: .init(column: column, relation: relation, value: value))
    }
    guard parts.count > 1, case .token(let sign) = parts[1] else { return [] }
    let isEqual = sign == .equal || sign == .isSame
    switch (parts[0], parts.count) {
    case (.column(let table, let column), 2):
      return sign.comparedConstant.map { [comparison(table, column, .constant($0))] } ?? []
    case (.column(let table, let column), 3):
      if isEqual, case .value(let value) = parts[2] {
        return [comparison(table, column, .bound(value))]
      }
      if let relation = sign.relation, case .value(let value) = parts[2] {
        return [comparison(table, column, .bound(value), relation)]
      }
      guard sign == .equal, case .column(let other, let second) = parts[2] else { return [] }
      return [
        comparison(table, column, .column(table: other, second)),
        comparison(other, second, .column(table: table, column)),
      ]
    case (.column(let table, let column), 5):
      guard sign == .between, parts[3] == .token(.and), case .value(let lower) = parts[2],
        case .value(let upper) = parts[4]
      else { return [] }
      return [
        comparison(table, column, .bound(lower), .greaterOrEqual),
        comparison(table, column, .bound(upper), .lessOrEqual),
      ]
    case (.column(let table, let column), 8):
      let list: [QueryConditions.Part] = [
        .token(.in), .token(.open), .token(.arrayValues), .token(.open),
      ]
      guard Array(parts[1...4]) == list, case .value(let value) = parts[5] else { return [] }
      return [comparison(table, column, .bound(value))]
    case (.value(let value), 3):
      guard case .column(let table, let column) = parts[2] else { return [] }
      if isEqual { return [comparison(table, column, .bound(value))] }
      guard let relation = sign.relation else { return [] }
      return [comparison(table, column, .bound(value), relation.reversed)]
    default: return []
    }
  }
}

extension QueryConditions.Condition.Relation {
  /// The relation that holds between the operands after they are exchanged. For example, `a < b`
  /// becomes `b > a`.
  fileprivate var reversed: Self {
    switch self {
    case .equal: .equal
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    }
  }
}

extension SQLToken {
  fileprivate var relation: QueryConditions.Condition.Relation? {
    switch self {
    case .less: .less
    case .lessOrEqual: .lessOrEqual
    case .greater: .greater
    case .greaterOrEqual: .greaterOrEqual
    default: nil
    }
  }

  /// The change of the nesting depth: 1 if the token opens a parenthesis or a CASE, −1 if the token
  /// closes one, and otherwise 0.
  fileprivate var nesting: Int {
    switch self {
    case .open, .cast, .filter, .materialized, .notMaterialized, .asQuery, .selectAllFrom,
      .selectValueFrom, .case:
      1
    case .close, .valueIsNotNull, .valueIsNull, .end: -1
    default: 0
    }
  }

  /// The number in a token that compares with a constant. For example, the token `= 1` has the
  /// number 1. Nil for other tokens.
  fileprivate var comparedConstant: Int64? {
    switch self {
    case .equalOne, .isOne: 1
    case .equalZero, .isZero: 0
    default: nil
    }
  }
}
