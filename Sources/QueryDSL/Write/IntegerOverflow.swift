import SQLCore

// If the result of SQLite's `+`, `-` or `*` exceeds 64 bits, it is a REAL. A STRICT table refuses
// such a REAL in an INTEGER column. Any other table stores it, but it cannot be read as a Swift
// integer. For a table that is not STRICT, the statement therefore checks the expressions that it
// assigns to integer columns:
//
//     UPDATE "T" SET "n" = (SELECT CASE typeof("apus_value") WHEN 'real' THEN … abs(…) …
//       ELSE "apus_value" END FROM (SELECT "n" + ? AS "apus_value"))
//
// As in a STRICT table, a REAL that is a whole number within 64 bits, such as `round(2.4)`, is
// stored as an INTEGER. For any other REAL, the SQL calls `abs` with the least 64-bit integer. This
// call is an error in SQLite itself, so the check works in every program.

/// The SQL around an expression that is assigned to an integer column. The SQL fails if the result
/// is a REAL that is not a whole number or exceeds 64 bits.
enum IntegerGuard {
  private static let name = "\"apus_value\""

  static let opening = "(SELECT \(checked(name)) FROM (SELECT "
  static let closing = " AS \(name)))"

  /// Returns SQL that gives the value of a column, or fails if the value is a REAL that SQLite
  /// would not store as an INTEGER. It also fails for the REAL -2^63, which SQLite would store as a
  /// REAL, because this value may be the result of an overflow.
  /// - SeeAlso: <https://www.sqlite.org/datatype3.html#type_affinity>
  static func checked(_ column: String) -> String {
    let integer = "CAST(\(column) AS INTEGER)"
    return "CASE typeof(\(column)) WHEN 'real' THEN CASE WHEN \(column) = \(integer) "
      + "AND \(column) >= -9223372036854775807 THEN \(integer) "
      + "ELSE abs(-9223372036854775807 - 1) END ELSE \(column) END"
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

extension DatabaseError {
  /// Returns this error with the table and the columns if the check of `IntegerGuard` caused it.
  /// Returns nil for other errors.
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
