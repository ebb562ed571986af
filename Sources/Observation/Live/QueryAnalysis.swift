import QueryDSL
import SQLCore

/// An analysis of whether each row of a query's result depends on one row of one table and nothing
/// else.
///
/// It walks over the query as it is written, and accepts only what it knows: with anything else,
/// the query has to be fetched again after each change.
struct QueryAnalysis: QuerySink {
  /// Whether the query contains only what is known.
  private(set) var isMaintainable = true
  /// The names of the functions that the query calls, folded.
  private(set) var calledFunctions: Set<String> = []
  private var scopeCount = 0

  /// The tokens of a SELECT over one table without groups and aggregates. COLLATE is not among
  /// them: the order of a collation that it names is not known here.
  private static let tokens: Set<SQLToken> = [
    .select, .from, .where, .and, .or, .not, .orderBy, .ascending, .descending, .limit, .noLimit,
    .offset, .comma, .open, .close, .one, .zero, .equal, .notEqual, .isSame, .isNotSame, .less,
    .greater, .lessOrEqual, .greaterOrEqual, .plus, .minus, .times, .divide, .negate, .isNull,
    .isNotNull, .like, .escape, .between, .in, .arrayValues, .as, .is,
  ]

  /// Functions that depend only on their arguments and give one value for each row.
  private static let functions: Set<String> = [
    "abs", "char", "coalesce", "decimal", "decimal_add", "decimal_mul", "decimal_sub", "hex",
    "ifnull", "iif", "instr", "length", "lower", "ltrim",
    "nullif", "quote", "replace", "round", "rtrim", "sign", "substr", "substring", "trim",
    "typeof", "unicode", "upper",
  ]

  mutating func token(_ token: SQLToken) {
    if !Self.tokens.contains(token) { isMaintainable = false }
    if token == .like { calledFunctions.insert("like") }
  }

  mutating func function(_ name: String) {
    let name = name.lowercasedASCII
    if !Self.functions.contains(name) { isMaintainable = false }
    calledFunctions.insert(name)
  }

  mutating func openScope(
    _ from: TableID, _ joins: [SelectStatement.Join], _ extras: SelectExtras?
  ) {
    scopeCount += 1
    // A subquery or a join.
    if scopeCount > 1 || !joins.isEmpty || extras != nil { isMaintainable = false }
  }

  mutating func fragment(_ sql: SQL) { isMaintainable = false }
  mutating func tableName(_ table: TableID) { isMaintainable = false }
  mutating func columnName(_ column: ColumnID) { isMaintainable = false }
  mutating func resultColumn(_ name: String) { isMaintainable = false }
  mutating func windowName(_ name: String) { isMaintainable = false }
  mutating func hideScope() { isMaintainable = false }
  mutating func showScope() {}
  mutating func openCommonTables(_ tables: [CommonTableNode]) { isMaintainable = false }
  mutating func closeCommonTables() {}
  mutating func commonTableDefinition(_ table: CommonTableNode) { isMaintainable = false }
  mutating func commonTable(_ table: CommonTableName) { isMaintainable = false }
  mutating func table(_ table: TableID) {}
  mutating func column(_ column: ColumnID) {}
  mutating func allColumns(of table: TableID) {}
  mutating func alias(_ name: String) {}
  mutating func value(_ value: BoundValue) {}
  mutating func closeScope() {}
}

extension Database {
  /// Whether the collations that a maintained query relies on are SQLite's own.
  var hasBuiltInCollations: Bool { !registersCollation(["binary", "nocase", "rtrim"]) }
}

extension SelectStatement {
  /// Returns whether each row of the result depends on one row of one table and nothing else.
  func isMaintainable(on connection: Connection) throws -> Bool {
    var analysis = QueryAnalysis()
    do {
      try write(to: &analysis)
    } catch {
      return false
    }
    guard analysis.isMaintainable else { return false }
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
    where sign == .equal || sign == .isSame {
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
