import QueryDSL
import SQLCore

/// An analysis of a query's shape, which is the query without its values. It finds out what each
/// row of the result depends on.
struct QueryAnalysis {
  /// Whether the query reads only one table, and each row of the result depends on only one row of
  /// the table.
  private(set) var isOfOneRow = true
  /// Whether a date function of the query might use the current time.
  private(set) var mayNameNow = false
  /// Whether the query reads a rowid by its name. Single rows are evaluated in a copy of the table,
  /// and a row has another rowid in the copy than in the table.
  private(set) var readsRowID = false
  /// The names of the functions that the query calls, folded.
  private(set) var calledFunctions: Set<String> = []
  /// The reason why the query must be fetched again after each change. Nil if each row of the
  /// result depends on only one row of each table in FROM. With GROUP BY or aggregates, a row may
  /// also depend on all rows of its group.
  private(set) var obstacle: RerunReason?
  /// The number of SELECTs in the query's SQL.
  private(set) var scopeCount = 0
  /// Whether the last token was COLLATE, so that the next name is a collation.
  private var expectsCollation = false
  /// Whether the query may have subqueries.
  private let allowsSubqueries: Bool
  /// Whether the query has GROUP BY or aggregates. If so, tokens such as GROUP BY are no obstacle.
  private let isGrouped: Bool

  init(of select: SelectStatement, allowsSubqueries: Bool = false) throws {
    self.allowsSubqueries = allowsSubqueries
    isGrouped = select.isGrouped
    if select.isDistinct { note("it selects DISTINCT rows") }
    if select.extras != nil { isOfOneRow = false }
    for case .expression? in [select.limit, select.offset] { note("its limit is an expression") }
    let shape = try select.shape()
    var values = shape.values[...]
    shape.forEachPart { take($0, &values) }
  }

  private mutating func take(_ part: ShapePart, _ values: inout ArraySlice<BoundValue>) {
    switch part {
    case .token(let token): take(token)
    case .words(let words): take(words: words)
    case .fragment(let text, let count):
      take(sql: text)
      for _ in 0..<count { take(values.popFirst()) }
    case .value: take(values.popFirst())
    case .openScope(let tables): open(tables)
    case .alias(let name): take(alias: name)
    case .resultColumn: note("it orders by a result column's name")
    case .tableName, .columnName, .checked, .checkedRows: note("it writes")
    case .commonTableDefinition: note("it has WITH")
    // The column index `.max` stands for the rowid.
    case .column(_, let index) where index == .max:
      readsRowID = true
      note("it reads the rowid")
    case .table, .column, .allColumns, .closeScope, .endOfChecked: break
    }
  }

  private mutating func note(_ text: @autoclosure () -> String) {
    if obstacle == nil { obstacle = RerunReason(text()) }
  }

  /// The tokens that come only with GROUP BY, HAVING or aggregates. Here `distinct` is the DISTINCT
  /// inside an aggregate.
  private static let groupTokens: Set<SQLToken> = [
    .groupBy, .having, .countStar, .filter, .distinct, .star,
  ]

  /// The tokens of a SELECT over tables and joins, without groups and aggregates.
  private static let tokens: Set<SQLToken> = [
    .select, .from, .where, .and, .or, .not, .orderBy, .ascending, .descending, .limit, .noLimit,
    .offset, .comma, .open, .close, .one, .zero, .equal, .notEqual, .isSame, .isNotSame, .less,
    .greater, .lessOrEqual, .greaterOrEqual, .plus, .minus, .times, .divide, .negate, .isNull,
    .isNotNull, .like, .escape, .between, .in, .arrayValues, .as, .is, .equalOne, .equalZero,
    .notEqualOne, .notEqualZero, .isOne, .isZero, .isNotOne, .isNotZero, .inner, .left, .cross,
    .on, .nullsFirst, .nullsLast, .collate, .remainder, .concat, .bitAnd, .bitOr, .bitNot,
    .shiftLeft, .shiftRight,
  ]

  /// The tokens that most often prevent maintenance, each with the reason that is shown to the
  /// user.
  private static let words: [SQLToken: String] = [
    .right: "it has a RIGHT JOIN", .full: "it has a FULL JOIN", .over: "it has a window function",
    .exists: subquery, .selectValueFrom: subquery, .union: "it is a UNION",
    .unionAll: "it is a UNION ALL",
    .intersect: "it is an INTERSECT", .except: "it is an EXCEPT", .with: "it has WITH",
  ]

  private static let subquery = "it has a subquery"

  /// The tokens of subqueries. Subqueries may have their own groups and aggregates.
  private static let subqueryTokens: Set<SQLToken> = groupTokens.union([
    .exists, .selectValueFrom, .valueIsNotNull, .valueIsNull,
  ])

  /// The functions whose value for a row depends only on their arguments.
  private static let functions: Set<String> = [
    "abs", "char", "coalesce", "decimal", "decimal_add", "decimal_mul", "decimal_sub", "hex",
    "ifnull", "iif", "instr", "length", "lower", "ltrim",
    "nullif", "quote", "replace", "round", "rtrim", "sign", "substr", "substring", "trim",
    "typeof", "unicode", "upper",
  ]

  /// The aggregates that depend only on the values of the rows, not on the order of the rows.
  private static let aggregates: Set<String> = [
    "avg", "count", "decimal_sum", "max", "min", "sum", "total",
  ]

  private mutating func take(_ token: SQLToken) {
    if !Self.tokens.contains(token), !isGrouped || !Self.groupTokens.contains(token),
      !allowsSubqueries || !Self.subqueryTokens.contains(token)
    {
      note(Self.words[token] ?? "it has an operator that is not followed (\(token))")
    }
    if token == .like { calledFunctions.insert("like") }
    if token == .countStar { calledFunctions.insert("count") }
    expectsCollation = token == .collate
  }

  /// Receives a text that the library wrote itself: the name of a function, or a constant.
  private mutating func take(words name: String) {
    let name = name.lowercasedASCII
    // A window function may have the name of an aggregate. It is noted as an obstacle later,
    // because the token OVER follows its name.
    if !Self.aggregates.contains(name), !Self.functions.contains(name) {
      note("it calls \(name), which is not one of the functions that live queries evaluate")
    }
    if name.contains("'now'") { mayNameNow = true }
    calledFunctions.insert(name)
  }

  private mutating func take(sql text: String) {
    note("it contains raw SQL")
    let text = text.lowercasedASCII
    if text.contains("select") { isOfOneRow = false }
    if text.contains("rowid") { readsRowID = true }
    if text.contains("now") || text.contains("()") { mayNameNow = true }
  }

  private mutating func take(_ value: BoundValue?) {
    if case .value(.text(let text)) = value, text.isSame(as: "now") { mayNameNow = true }
  }

  private mutating func open(_ tables: [ShapeScopeTable]) {
    scopeCount += 1
    // A second SELECT is a subquery, and a second table in a SELECT is a join.
    if scopeCount > 1 || tables.count > 1 { isOfOneRow = false }
    if scopeCount > 1, !allowsSubqueries { note(Self.subquery) }
    if tables.contains(where: { $0.kind != .model }) {
      note("it selects from something other than the table of a model")
    }
  }

  private mutating func take(alias name: String) {
    guard expectsCollation else { return }
    expectsCollation = false
    if BuiltInCollation(named: name) == nil {
      note("it has the collation \(name), which is not one of SQLite's own")
    }
  }
}

extension Database {
  /// Whether BINARY, NOCASE and RTRIM are SQLite's own collations. If the program has replaced one
  /// of them, no query is maintained.
  var hasBuiltInCollations: Bool { !registersCollation(["binary", "nocase", "rtrim"]) }
}

extension SelectStatement {
  /// Returns the SELECTs of the query.
  ///
  /// Throws a `RerunReason` if a row of the result depends on anything except the following:
  /// - one row of each table in FROM
  /// - subqueries
  /// - the rows of its group, if the query has GROUP BY or aggregates
  func knownScopes(on connection: Connection) throws -> [QueryScope] {
    let scopes: [QueryScope]
    do {
      scopes = try self.scopes()
    } catch let error as QueryError where problem == nil {
      throw RerunReason(error.message)
    }
    let count = scopes.reduce(0) { $0 + $1.count }
    try requireKnownParts(on: connection, scopeCount: count)
    return scopes
  }

  /// Throws a `RerunReason` if a row of the result depends on more than one row of each table in
  /// FROM. With GROUP BY or aggregates, a row may also depend on the rows of its group.
  ///
  /// - Parameter scopeCount: the number of SELECTs that are known. If there are more than one,
  ///   subqueries are allowed.
  func requireKnownParts(on connection: Connection, scopeCount: Int = 1) throws {
    let analysis = try QueryAnalysis(of: self, allowsSubqueries: scopeCount > 1)
    if let obstacle = analysis.obstacle { throw obstacle }
    guard analysis.scopeCount <= scopeCount else { throw RerunReason("it has a subquery") }
    // If the user replaced a function of SQLite, the function may depend on anything.
    let called = analysis.calledFunctions.filter { !$0.hasPrefix("decimal") }
    guard !called.isEmpty else { return }
    let replaced = try connection.row(
      """
      SELECT name FROM pragma_function_list
      WHERE NOT builtin AND name COLLATE NOCASE IN \(array: called) LIMIT 1
      """)
    if let name = try replaced?.get(String.self, at: 0) {
      throw RerunReason("SQLite's function \(name) was replaced")
    }
  }

  /// Returns the value that the query requires for one of the given columns in every row of the
  /// result, as with `WHERE id = ?`. Returns nil if the query requires no such value.
  func requiredValue(of columns: Set<Int>) -> (column: Int, value: RequiredValue)? {
    for case .compareColumn(let sign, let column, let value) in predicates
    where sign.isEquality {
      guard column.table == from, columns.contains(Int(column.index)),
        let required = RequiredValue(value)
      else { continue }
      if case .value = required, required.certainValue([]) == nil { continue }
      return (Int(column.index), required)
    }
    return nil
  }
}

/// A value that a column must equal: either a value that all queries of a template share, or an
/// argument.
enum RequiredValue: Hashable, Sendable {
  case value(DatabaseValue)
  case argument(Int)

  /// Creates the required value from a bound value. Returns nil if the bound value is NULL, a list,
  /// or a value that is not known.
  init?(_ bound: BoundValue) {
    switch bound {
    case .value(.null), .array, .unstorable, .zeroBlob: return nil
    case .value(let value): self = .value(value)
    case .argument(let argument): self = .argument(argument.index)
    }
  }

  /// The value or the argument, in the form in which a query binds it.
  var bound: BoundValue {
    switch self {
    case .value(let value): .value(value)
    case .argument(let index): .argument(BoundArgument(index, as: .standard))
    }
  }

  /// Returns the required value. If it is an argument of the query, looks up the value of this
  /// argument in the given list, and returns nil if the list is too short.
  func value(_ arguments: [DatabaseValue]) -> DatabaseValue? {
    switch self {
    case .value(let value): value
    case .argument(let index): index < arguments.count ? .some(arguments[index]) : .none
    }
  }

  /// Returns the value; nil if stored values of another type could equal it. For example, returns
  /// nil for reals, because the real 1.0 equals the integer 1.
  func certainValue(_ arguments: [DatabaseValue]) -> DatabaseValue? {
    switch value(arguments) {
    case .integer?, .text?, .invalidText?, .blob?: value(arguments)
    case .null?, .real?, .none: .none
    }
  }
}
