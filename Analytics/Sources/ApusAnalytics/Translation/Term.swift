import SQLCore

/// An expression in DuckDB's SQL, with the type and the collation that it has in SQLite.
struct Term {
  /// The type of the value, if it is not NULL.
  enum Kind: Hashable {
    case integer, real, text, blob
    /// The value is always NULL.
    case null
    /// The expression is a BOOLEAN in DuckDB. In SQLite, its value is the integer 0 or 1.
    case condition
    /// The expression is a row value: several values in parentheses.
    case row

    init(_ kind: ColumnKind) {
      switch kind {
      case .integer: self = .integer
      case .real: self = .real
      case .text: self = .text
      case .blob: self = .blob
      }
    }

    /// SQLite's name of the type.
    var name: String {
      switch self {
      case .integer, .condition: "an integer"
      case .real: "a real number"
      case .text: "a text"
      case .blob: "a BLOB"
      case .null: "NULL"
      case .row: "a row value"
      }
    }
  }

  var sql: String
  var kind: Kind
  /// The collation with which the value is compared.
  var collation = KnownCollation.binary
  /// Whether the collation comes from COLLATE rather than from a column.
  var hasExplicitCollation = false
  /// Whether the value comes from a column, so that the column's collation applies.
  var isColumn = false
  /// Whether DuckDB's value may be NaN. SQLite's value is NULL in this case.
  var mayBeNaN = false
  /// The value, if the expression is a literal or a parameter; otherwise nil.
  var constant: DatabaseValue?
  /// The elements of a row value.
  var elements: [Term] = []
  /// The SQL of an expression that computes the same number as an integer, if the value is a text
  /// of digits, such as a part of a date. Otherwise nil.
  var integerForm: String?

  init(_ sql: String, _ kind: Kind) {
    self.sql = sql
    self.kind = kind
  }

  static let null: Term = {
    var term = Term("NULL", .null)
    term.constant = .null
    return term
  }()

  /// The type that the value has in SQLite, where a condition is an integer.
  var valueKind: Kind { kind == .condition ? .integer : kind }

  /// The SQL of the value that the expression has in SQLite: 0 or 1 for a condition, and NULL for
  /// NaN.
  var value: String {
    if kind == .condition { return "CAST(\(sql) AS BIGINT)" }
    return mayBeNaN ? once([sql]) { "apus_real(\($0[0]))" } : sql
  }

  /// The term whose SQL is `value`. It is an integer if this term is a condition, and it is never
  /// NaN.
  var settled: Term {
    var term = self
    term.sql = value
    term.kind = valueKind
    term.mayBeNaN = false
    return term
  }
}

/// Returns the expression that `body` makes from some values. If `body` uses a value several times,
/// DuckDB nevertheless computes the value only once.
///
/// Without this function, an expression would contain a copy of a value at each place that uses the
/// value, because DuckDB also copies the argument of a macro. Nested expressions would then grow
/// exponentially. So long values become the argument of a lambda: `list_transform([{'a0': …}],
/// lambda v: … v.a0 … v.a0 …)[1]`.
func once(_ values: [String], _ body: ([String]) -> String) -> String {
  guard values.contains(where: { $0.utf8.count > 60 }) else { return body(values) }
  let names = values.indices.map { "a\($0)" }
  let fields = zip(names, values).map { "'\($0)': \($1)" }
  return "list_transform([{\(fields.joined(separator: ", "))}], "
    + "lambda v: \(body(names.map { "v.\($0)" })))[1]"
}

/// Returns the term that `body` makes from some terms. If `body` uses a term several times, DuckDB
/// nevertheless computes its value only once.
func once(_ terms: [Term], _ body: ([Term]) throws -> Term) throws -> Term {
  let terms = terms.map(\.settled)
  guard terms.contains(where: { $0.sql.utf8.count > 60 }) else { return try body(terms) }
  var short = terms
  for index in short.indices { short[index].sql = "v.a\(index)" }
  var result = try body(short)
  let sql = result.value
  result = result.settled
  result.sql = once(terms.map(\.sql)) { _ in sql }
  return result
}

/// A table, view, subquery or common table expression in FROM.
struct Source {
  struct Column {
    let name: String
    let kind: Term.Kind
    var collation = KnownCollation.binary
  }

  let name: String
  let columns: [Column]
  /// The copied table that the source reads; nil if it reads something else, such as a subquery.
  var table: CopiedTable?

  func column(_ name: String) -> Column? {
    if let column = columns.first(where: { $0.name.isSameName(as: name) }) { return column }
    guard ["rowid", "oid", "_rowid_"].contains(name.lowercased()), let id = table?.rowID else {
      return nil
    }
    return Column(name: id.name, kind: .integer)
  }
}

/// The sources that an expression can name: those of its SELECT and of the enclosing SELECTs.
final class Scope {
  var sources: [Source] = []
  /// The selected columns with their names. Other clauses of the SELECT, such as GROUP BY and
  /// HAVING, may use these names.
  var selected: [(name: String, term: Term)] = []
  let parent: Scope?
  private let depth: Int

  init(parent: Scope?) {
    self.parent = parent
    depth = (parent?.depth ?? 0) + 1
  }

  /// The name that the next source gets if the query gives it no name. If SELECT and GROUP BY
  /// contain the same subquery, its sources get the same names in both places. So DuckDB recognises
  /// that the expressions are equal.
  var nextName: String { "apus_\(depth)_\(sources.count)" }
}
