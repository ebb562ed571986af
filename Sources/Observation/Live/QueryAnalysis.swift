import QueryDSL
import SQLCore

/// An analysis of what a query over one table depends on, made from the query as it is written.
struct QueryAnalysis: QuerySink {
  /// Whether the query reads one table only, each row of it by itself, as far as its text shows.
  private(set) var isOfOneRow = true
  /// Whether a date function might be given the current time.
  private(set) var mayNameNow = false
  /// The names of the functions that the query calls, folded.
  private(set) var calledFunctions: Set<String> = []
  /// Whether all parts of the query are among those whose meaning is known here.
  private var isKnown = true
  private var scopeCount = 0

  /// Whether each row of the result depends on one row of one table and nothing else. With any part
  /// that is not known here, the query has to be fetched again after each change.
  var isMaintainable: Bool { isOfOneRow && isKnown }

  init(of select: SelectStatement) throws {
    try select.write(to: &self)
  }

  /// The tokens of a SELECT over one table without groups and aggregates. COLLATE is not among
  /// them: the order of a collation that it names is not known here.
  private static let tokens: Set<SQLToken> = [
    .select, .from, .where, .and, .or, .not, .orderBy, .ascending, .descending, .limit, .noLimit,
    .offset, .comma, .open, .close, .one, .zero, .equal, .notEqual, .isSame, .isNotSame, .less,
    .greater, .lessOrEqual, .greaterOrEqual, .plus, .minus, .times, .divide, .negate, .isNull,
    .isNotNull, .like, .escape, .between, .in, .arrayValues, .as, .is, .equalOne, .equalZero,
    .notEqualOne, .notEqualZero, .isOne, .isZero, .isNotOne, .isNotZero,
  ]

  /// Functions that depend only on their arguments and give one value for each row.
  private static let functions: Set<String> = [
    "abs", "char", "coalesce", "decimal", "decimal_add", "decimal_mul", "decimal_sub", "hex",
    "ifnull", "iif", "instr", "length", "lower", "ltrim",
    "nullif", "quote", "replace", "round", "rtrim", "sign", "substr", "substring", "trim",
    "typeof", "unicode", "upper",
  ]

  mutating func token(_ token: SQLToken) {
    if !Self.tokens.contains(token) { isKnown = false }
    if token == .like { calledFunctions.insert("like") }
  }

  /// Receives functions, and constants that the library itself writes.
  mutating func function(_ name: String) {
    let name = name.lowercasedASCII
    if !Self.functions.contains(name) { isKnown = false }
    if name.contains("'now'") { mayNameNow = true }
    calledFunctions.insert(name)
  }

  mutating func fragment(_ sql: SQL) {
    isKnown = false
    let text = sql.text.lowercasedASCII
    if text.contains("select") { isOfOneRow = false }
    if text.contains("now") || text.contains("()") { mayNameNow = true }
    for binding in sql.bindings { value(binding) }
  }

  mutating func value(_ value: BoundValue) {
    if case .value(.text(let text)) = value, text.isSame(as: "now") { mayNameNow = true }
  }

  mutating func openScope(
    _ from: TableID, _ joins: [SelectStatement.Join], _ extras: SelectExtras?
  ) {
    scopeCount += 1
    // A subquery or a join.
    if scopeCount > 1 || !joins.isEmpty || extras != nil { isOfOneRow = false }
  }

  mutating func hideScope() { isOfOneRow = false }
  mutating func openCommonTables(_ tables: [CommonTableNode]) { isOfOneRow = false }
  mutating func commonTableDefinition(_ table: CommonTableNode) { isOfOneRow = false }
  mutating func commonTable(_ table: CommonTableName) { isOfOneRow = false }
  mutating func tableName(_ table: TableID) { isKnown = false }
  mutating func columnName(_ column: ColumnID) { isKnown = false }
  mutating func resultColumn(_ name: String) { isKnown = false }
  mutating func windowName(_ name: String) { isKnown = false }
  mutating func showScope() {}
  mutating func closeCommonTables() {}
  mutating func table(_ table: TableID) {}
  mutating func column(_ column: ColumnID) {}
  mutating func allColumns(of table: TableID) {}
  mutating func alias(_ name: String) {}
  mutating func closeScope() {}
}

extension Database {
  /// Whether the collations that a maintained query relies on are SQLite's own.
  var hasBuiltInCollations: Bool { !registersCollation(["binary", "nocase", "rtrim"]) }
}

extension SelectStatement {
  /// Returns whether each row of the result depends on one row of one table and nothing else.
  func isMaintainable(on connection: Connection) throws -> Bool {
    guard let analysis = try? QueryAnalysis(of: self), analysis.isMaintainable else {
      return false
    }
    // A user's function that replaces one of SQLite's may depend on anything.
    let called = analysis.calledFunctions.filter { !$0.hasPrefix("decimal") }
    guard !called.isEmpty else { return true }
    return try connection.row(
      """
      SELECT 1 FROM pragma_function_list
      WHERE NOT builtin AND name COLLATE NOCASE IN \(array: called) LIMIT 1
      """) == nil
  }

  /// Returns a value that every row of the result has in one of the given columns of the model, if
  /// the query says so: `WHERE id = ?`.
  func requiredValue(of columns: Set<Int>) -> (column: Int, value: DatabaseValue)? {
    for case .compareColumn(let sign, let column, let value) in predicates
    where sign.isEquality {
      guard column.table == from, columns.contains(Int(column.index)),
        let value = try? value.databaseValue
      else { continue }
      switch value {
      case .integer, .text, .blob: return (Int(column.index), value)
      case .null, .real: continue
      }
    }
    return nil
  }
}
