import SQLCore

// SQLite's `+`, `-` and `*` give a REAL if the result is beyond 64 bits. A STRICT table refuses it
// for an INTEGER column. Any other table stores it, and no Swift integer can be read from it. So in
// statements for these tables, an expression that is assigned to an integer column is checked:
//
//     UPDATE "T" SET "n" = (SELECT CASE typeof("apus_value") WHEN 'real' THEN abs(…)
//       ELSE "apus_value" END FROM (SELECT "n" + ? AS "apus_value"))
//
// `abs` of the least integer is an error of SQLite's, so this works in any engine.

/// The words around an expression that must not be a REAL.
enum IntegerGuard {
  private static let name = "\"apus_value\""

  static let opening = "(SELECT \(checked(name)) FROM (SELECT "
  static let closing = " AS \(name)))"

  /// Returns the value of a column, or an error of SQLite's if it is a REAL.
  static func checked(_ column: String) -> String {
    "CASE typeof(\(column)) WHEN 'real' THEN abs(-9223372036854775807 - 1) ELSE \(column) END"
  }
}

extension ExpressionNode {
  /// Whether the expression may give a REAL although all its operands are integers.
  var mayOverflow: Bool {
    switch self {
    case .chain, .tree, .fragment: true
    default: false
    }
  }
}

extension SelectStatement {
  /// Whether a selected expression may give a REAL although all its operands are integers.
  var mayOverflow: Bool {
    guard case .terms(let terms) = selection, extras?.content.compound == nil else { return true }
    return terms.contains { term in
      switch term {
      case .table: false
      case .expression(let node), .aliased(let node, _): node.mayOverflow
      }
    }
  }
}

extension QuerySink {
  package mutating func checksInteger(_ column: ColumnID) throws -> Bool { false }

  /// Writes an expression that is assigned to a column.
  mutating func assigned(_ value: ExpressionNode, to column: ExpressionNode) throws {
    guard value.mayOverflow, let column = column.columnID, try checksInteger(column) else {
      return try value.write(to: &self)
    }
    try function(IntegerGuard.opening)
    try value.write(to: &self)
    try function(IntegerGuard.closing)
  }

  /// Writes a query whose rows are inserted into columns. Returns false if it is to be written as it
  /// is.
  mutating func inserted(
    _ statement: SelectStatement, into columns: [ExpressionNode]
  ) throws -> Bool {
    guard statement.mayOverflow else { return false }
    let areChecked = try columns.map { column in
      guard let column = column.columnID else { return false }
      return try checksInteger(column)
    }
    guard areChecked.contains(true) else { return false }
    let names = columns.indices.map { "c\($0)" }
    try function("WITH \"apus_rows\"(\(names.joined(separator: ", "))) AS (")
    try statement.write(to: &self)
    let terms = zip(names, areChecked).map { $1 ? IntegerGuard.checked($0) : $0 }
    // Without WHERE, a following ON CONFLICT would be the condition of a join.
    try function(") SELECT \(terms.joined(separator: ", ")) FROM \"apus_rows\" WHERE 1")
    return true
  }
}

extension Renderable {
  /// Returns the text of the statement that assigns expressions to integer columns, with its checks,
  /// and the table; nil if it assigns none.
  func checkingIntegers() throws -> (table: String, text: String)? {
    var sink = TextSink(checkingIntegers: true)
    try write(to: &sink)
    return sink.checkedTable.map { ($0, sink.text) }
  }

  package func statementText(on core: ConnectionCore) throws -> String {
    var sink = TextSink()
    try write(to: &sink)
    guard let table = sink.checkedTable, !core.isStrict(table),
      let checking = try checkingIntegers()
    else { return sink.text }
    return checking.text
  }
}

extension DatabaseError {
  /// Returns the error with the table and the columns, if it is that of an integer beyond 64 bits.
  func overflowing(_ assigned: [String]?, of table: String) -> DatabaseError? {
    guard code.primary == .error, message == "integer overflow", let assigned,
      sql?.contains("apus_value") ?? false || sql?.contains("apus_rows") ?? false
    else { return nil }
    var located = self
    located.code = ResultCode(rawValue: 19 | 12 << 8)
    located.constraint = ConstraintFailure(kind: .dataType, table: table)
    let checked = assigned.filter { column in
      sql?.contains(Identifier(column).quoted + " = " + IntegerGuard.opening) ?? false
    }
    let columns = checked.isEmpty ? assigned : checked
    located.constraint?.columns = columns
    let names = columns.map { "\(table).\($0)" }.joined(separator: ", ")
    located.message =
      "integer overflow: a result is beyond 64 bits, so nothing was stored: \(names)"
    return located
  }
}
