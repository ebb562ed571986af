import SQLCore

/// An expression in DuckDB's SQL, with the type and the collation that it has in SQLite.
struct Term {
  /// The type of the value, if it is not NULL.
  enum Kind: Hashable {
    case integer, real, text, blob
    /// NULL and nothing else.
    case null
    /// A BOOLEAN of DuckDB, which is 0 or 1 in SQLite.
    case condition
    /// Several values in parentheses.
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
  /// Whether the value may be NaN, where SQLite has NULL.
  var mayBeNaN = false
  /// The value of a literal or a parameter.
  var constant: DatabaseValue?
  /// The elements of a row value.
  var elements: [Term] = []
  /// For a text of digits, such as a part of a date: its value as an integer, in DuckDB's SQL.
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

  /// The type as a value: a condition is an integer.
  var valueKind: Kind { kind == .condition ? .integer : kind }

  /// The expression as a value of SQLite: a condition as 0 or 1, and NaN as NULL.
  var value: String {
    if kind == .condition { return "CAST(\(sql) AS BIGINT)" }
    return mayBeNaN ? once([sql]) { "apus_real(\($0[0]))" } : sql
  }

  /// The term with `value` as its SQL: an integer in place of a condition, and NULL in place of
  /// NaN.
  var settled: Term {
    var term = self
    term.sql = value
    term.kind = valueKind
    term.mayBeNaN = false
    return term
  }
}

/// Returns an expression that uses values several times, but computes each of them once.
///
/// An expression grows with each copy of a value, and DuckDB copies a macro's argument at each use.
/// Nested expressions would grow without bound, so long values become the argument of a lambda:
/// `list_transform([{'a0': …}], lambda v: … v.a0 … v.a0 …)[1]`.
func once(_ values: [String], _ body: ([String]) -> String) -> String {
  guard values.contains(where: { $0.utf8.count > 60 }) else { return body(values) }
  let names = values.indices.map { "a\($0)" }
  let fields = zip(names, values).map { "'\($0)': \($1)" }
  return "list_transform([{\(fields.joined(separator: ", "))}], "
    + "lambda v: \(body(names.map { "v.\($0)" })))[1]"
}

/// Combines terms as values, each of which is computed once.
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
  /// The selected columns by their names, which GROUP BY, HAVING and ORDER BY may use.
  var selected: [(name: String, term: Term)] = []
  let parent: Scope?
  private let depth: Int

  init(parent: Scope?) {
    self.parent = parent
    depth = (parent?.depth ?? 0) + 1
  }

  /// The name for a source that has none. The same subquery gets the same name in SELECT and in
  /// GROUP BY, so that DuckDB recognises the expression.
  var nextName: String { "apus_\(depth)_\(sources.count)" }
}
