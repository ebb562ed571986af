import SQLCore

// The definition of a table, an index, a view or a trigger cannot have parameters. So the values in
// a definition are written as literals.

extension SQL {
  /// The text for a definition in a schema, in which literals have replaced the parameters. Throws
  /// `QueryError` if the text has fewer parameters than values.
  var declaration: String {
    get throws {
      guard !bindings.isEmpty else { return text }
      var values = bindings[...]
      var declaration = ""
      var end = 0
      let bytes = Array(text.utf8)
      for token in SQLTokens(text).tokens where token.kind == .parameter {
        guard let value = values.popFirst() else { break }
        declaration += String(decoding: bytes[end..<token.range.lowerBound], as: UTF8.self)
        declaration += try value.literal
        end = token.range.upperBound
      }
      guard values.isEmpty else {
        throw QueryError("a declaration has \(bindings.count) values but fewer parameters: \(text)")
      }
      return declaration + String(decoding: bytes[end...], as: UTF8.self)
    }
  }
}

extension ModelLayout {
  private var table: TableID { TableID(layout: number, source: TableID.declared) }

  /// Returns the SQL of conditions for a declaration such as a CHECK. The conditions may name the
  /// table's columns, and are joined by AND. Returns nil for an empty list.
  func declaration(of predicates: PredicateLines) throws -> String? {
    guard !predicates.nodes.isEmpty else { return nil }
    return try Shape { writer in
      writer.openScope(table, [], nil)
      PredicateNode.write(all: Array(predicates.nodes), to: &writer)
    }.text(writingLiterals: true)
  }

  /// Returns the SQL of an expression for a declaration such as an index. The expression may name
  /// the table's columns.
  func declaration(of expression: ExpressionNode) throws -> String {
    try Shape { writer in
      writer.openScope(table, [], nil)
      expression.write(to: &writer)
    }.text(writingLiterals: true)
  }
}

extension ModelLayout {
  /// Returns the SQL of a term of an index, which is a column or an expression. The SQL has no ASC
  /// or DESC.
  func declaration(of term: IndexTerm) throws -> String {
    var text = try declaration(of: term.node)
    // An index term that is not a column is put in parentheses.
    if case .column = term.node {} else { text = "(\(text))" }
    if let collation = term.collation { text += " COLLATE \(collation.sql)" }
    return text
  }
}

// A definition contains its values as literals. SQLite must read each literal as exactly the value
// that it stands for.

extension BoundValue {
  /// The value as SQL. Throws `ColumnValueError` for a value that cannot be stored, and
  /// `QueryError` for a value that has no literal.
  var literal: String {
    get throws {
      switch self {
      case .zeroBlob(let count): return "zeroblob(\(count))"
      case .argument:
        throw QueryError("a definition in the schema cannot contain a parameter of `prepare`")
      case .array:
        throw QueryError("a definition in the schema cannot contain a list of values in raw SQL")
      case .value, .unstorable: return try databaseValue.literal
      }
    }
  }
}

extension DatabaseValue {
  /// The value as SQL that SQLite reads as exactly this value. Throws `QueryError` for a text with
  /// U+0000, because SQLite would end the statement there.
  var literal: String {
    get throws {
      switch self {
      case .text(let text) where text.utf8.contains(0):
        throw QueryError(
          "a definition in the schema cannot contain a text with U+0000: "
            + text.debugDescription)
      case .real(let value): return value.exactLiteral
      case .null, .integer, .text, .invalidText, .blob: return description
      }
    }
  }
}

extension Double {
  /// The shortest decimal number with this value, if SQLite is certain to read that number exactly.
  /// Otherwise, a quotient or a product whose result is exactly this value.
  ///
  /// SQLite's conversion of decimal numbers is exact for up to 15 digits. For more digits, the last
  /// bit may be wrong, depending on the version of SQLite and on the processor.
  /// - SeeAlso: <https://www.sqlite.org/floatingpoint.html>
  fileprivate var exactLiteral: String {
    let decimal = DatabaseValue.real(self).description
    guard isFinite, self != 0, !decimal.isShortDecimal else { return decimal }
    // The value equals integer × 2^power. The integer is odd and has at most 53 bits.
    let fraction = Double.significandBitCount
    var power = isNormal ? Int(exponent) - fraction : -1074
    var integer = significandBitPattern
    if isNormal { integer |= 1 << UInt64(fraction) }
    let zeros = integer.trailingZeroBitCount
    integer >>= UInt64(zeros)
    power += zeros
    let sign = power < 0 ? " / " : " * "
    var text = (self < 0 ? "-" : "") + "\(integer).0"
    var rest = power.magnitude
    while rest > 0 {
      // SQLite reads a whole number below 2^53 exactly, even if it has 16 digits.
      let step = Swift.min(rest, 52)
      text += "\(sign)\(UInt64(1) << UInt64(step)).0"
      rest -= step
    }
    return "(\(text))"
  }
}

extension String {
  /// Whether the decimal number has at most 15 digits and a small exponent.
  fileprivate var isShortDecimal: Bool {
    let parts = lowercased().split(separator: "e")
    guard let digits = parts.first, parts.count == 1 || (Int(parts[1]) ?? 99).magnitude <= 22 else {
      return false
    }
    let significant = digits.filter(\.isNumber).drop { $0 == "0" }
    return significant.count <= 15
  }
}
