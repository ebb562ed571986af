import QueryDSL
import SQLCore

/// Looks whether a query gives the same for the same rows of one table, row by row.
///
/// It walks over the query as it is written, and knows what it accepts: whatever else is written
/// makes the query one that runs again.
struct QueryAnalysis: QuerySink {
  /// Whether everything that was written is known.
  private(set) var isMaintainable = true
  /// The functions that it calls, by folded name.
  private(set) var calledFunctions: Set<String> = []
  private var scopeCount = 0

  /// The tokens of a SELECT over one table without groups and aggregates. COLLATE is none: how the
  /// rows of a collation are ordered is not known here, so that such a query runs again.
  private static let tokens: Set<SQLToken> = [
    .select, .from, .where, .and, .or, .not, .orderBy, .ascending, .descending, .limit, .noLimit,
    .offset, .comma, .open, .close, .one, .zero, .equal, .notEqual, .isSame, .isNotSame, .less,
    .greater, .lessOrEqual, .greaterOrEqual, .plus, .minus, .times, .divide, .negate, .isNull,
    .isNotNull, .like, .escape, .between, .in, .arrayValues, .as, .is,
  ]

  /// Functions of their arguments alone that give one value a row.
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
    // A subquery, or a join.
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
  /// Whether each row of the result comes of one row of one table, and of nothing else.
  func isMaintainable(on connection: Connection) throws -> Bool {
    var analysis = QueryAnalysis()
    do {
      try write(to: &analysis)
    } catch {
      return false
    }
    guard analysis.isMaintainable else { return false }
    // A function of the user's in the place of SQLite's own is not where rows are looked at alone.
    let called = analysis.calledFunctions.filter { !$0.hasPrefix("decimal") }
    guard !called.isEmpty else { return true }
    return try connection.row(
      """
      SELECT 1 FROM pragma_function_list
      WHERE NOT builtin AND name COLLATE NOCASE IN \(array: called) LIMIT 1
      """) == nil
  }

  /// A value that every row of the result has in one of these columns of the model, where the query
  /// says so: `WHERE id = ?`.
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
