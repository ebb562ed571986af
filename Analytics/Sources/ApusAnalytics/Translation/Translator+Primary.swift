import Foundation
import SQLCore

extension Translator {
  /// Reads a literal, a parameter, a column, a call, a subquery, CASE, CAST, or parentheses.
  mutating func primary() throws -> Term {
    guard let token else { throw unexpected() }
    switch token.kind {
    case .number: return try numeral(token)
    case .string:
      position += 1
      return try parameter(.text(token.text))
    case .blob:
      position += 1
      return try parameter(.blob(Self.data(ofDigits: token.text)))
    case .parameter:
      guard let number = Int(token.text), values.indices.contains(number - 1) else {
        throw unexpected()
      }
      position += 1
      return try parameter(values[number - 1])
    case .sign:
      guard token.text == "(" else { throw unexpected() }
      return try parentheses()
    case .quotedName: return try named()
    case .word:
      switch token.text.uppercased() {
      case "NULL":
        position += 1
        return .null
      case "TRUE", "FALSE":
        position += 1
        return try parameter(.integer(token.isWord("TRUE") ? 1 : 0))
      case "CASE": return try caseExpression()
      case "CAST" where self.token(after: 1)?.isSign("(") == true: return try cast()
      case "EXISTS" where self.token(after: 1)?.isSign("(") == true:
        position += 2
        let query = try select(parent: scope)
        try expect(sign: ")")
        return Term("EXISTS (\(query.sql))", .condition)
      case "CURRENT_TIMESTAMP", "CURRENT_DATE", "CURRENT_TIME":
        throw unsupported("\(token.text) is SQLite's clock", "pass the date as a value")
      default: return try named()
      }
    }
  }

  private mutating func numeral(_ token: SQLiteToken) throws -> Term {
    position += 1
    if token.text.lowercased().hasPrefix("0x") {
      guard let bits = UInt64(token.text.dropFirst(2), radix: 16) else { throw unexpected() }
      return try parameter(.integer(Int64(bitPattern: bits)))
    }
    if let integer = Int64(token.text) { return try parameter(.integer(integer)) }
    guard let real = Double(token.text) else { throw unexpected() }
    return try parameter(.real(real))
  }

  private static func data(ofDigits text: String) -> Data {
    let digits = Array(text.utf8)
    return Data(
      stride(from: 0, to: digits.count - 1, by: 2).compactMap {
        UInt8(String(decoding: digits[$0...($0 + 1)], as: UTF8.self), radix: 16)
      })
  }

  private mutating func parentheses() throws -> Term {
    position += 1
    if isWord("SELECT") || isWord("WITH") || isWord("VALUES") {
      let query = try select(parent: scope)
      try expect(sign: ")")
      guard query.columns.count == 1 else {
        throw unsupported("a subquery with several columns stands as a value", "select one column")
      }
      // SQLite uses the first row of the subquery. DuckDB would ignore the ORDER BY of a subquery
      // without LIMIT, and might use another row.
      let first = isOrderedWithoutLimit ? " LIMIT 1" : ""
      return Term("(\(query.sql)\(first))", query.columns[0].kind)
    }
    var terms = [try expression()]
    while take(sign: ",") { terms.append(try expression()) }
    try expect(sign: ")")
    guard terms.count > 1 else { return terms[0] }
    var row = Term("", .row)
    row.elements = terms
    return row
  }

  // MARK: Names

  private mutating func named() throws -> Term {
    if token(after: 1)?.isSign("(") == true { return try call() }
    var first = try name()
    guard take(sign: ".") else { return try column(first, of: nil) }
    var second = try name()
    if take(sign: ".") { (first, second) = (second, try name()) }
    return try column(second, of: first)
  }

  private func column(_ name: String, of table: String?) throws -> Term {
    var level: Scope? = scope
    while let scope = level {
      for source in scope.sources where table.map({ source.name.isSameName(as: $0) }) ?? true {
        if let column = source.column(name) { return Self.term(of: column, in: source) }
      }
      if table == nil, let selected = scope.selected.first(where: { $0.name.isSameName(as: name) })
      {
        return selected.term
      }
      level = scope.parent
    }
    let isRowID = ["rowid", "oid", "_rowid_"].contains(name.lowercased())
    throw unsupported(
      isRowID
        ? "a table without an INTEGER PRIMARY KEY has no rowid in its copy"
        : "no source of the query has the column \(name)", "name a column that was copied")
  }

  // MARK: CASE, CAST

  private mutating func caseExpression() throws -> Term {
    try expect(word: "CASE")
    var subject: Term?
    if !isWord("WHEN") { subject = try expression() }
    var branches: [(condition: String, result: Term)] = []
    while take(word: "WHEN") {
      let test = try expression()
      let condition = try subject.map { try compare("=", $0, test).sql } ?? (try condition(test))
      try expect(word: "THEN")
      branches.append((condition, try expression()))
    }
    var other: Term?
    if take(word: "ELSE") { other = try expression() }
    try expect(word: "END")
    let results = branches.map(\.result) + (other.map { [$0] } ?? [])
    let kind = try common(results.map(\.valueKind), of: "the results of CASE")
    let parts = branches.map { "WHEN \($0.condition) THEN \($0.result.value)" }
    let end = other.map { " ELSE \($0.value)" } ?? ""
    return Term("CASE \(parts.joined(separator: " "))\(end) END", kind)
  }

  private mutating func cast() throws -> Term {
    position += 2
    let term = try expression()
    try expect(word: "AS")
    var type = ""
    while let token, !token.isSign(")") {
      type += token.text
      position += 1
    }
    try expect(sign: ")")
    guard let target = ColumnKind(declared: type) else {
      throw unsupported(
        "CAST to \(type) lets a value keep its type", "cast to INTEGER, REAL or TEXT")
    }
    switch (target, term.valueKind) {
    case (_, .null): return Term("CAST(NULL AS \(target.duckDB))", Term.Kind(target))
    case (.integer, .integer), (.real, .real), (.text, .text), (.blob, .blob):
      return term.settled
    case (.integer, .real): return Term(once([term.value]) { "apus_integer(\($0[0]))" }, .integer)
    case (.integer, .text):
      return Term(
        term.integerForm ?? once([term.sql]) { "apus_text_integer(\($0[0]))" }, .integer)
    case (.real, .integer): return Term("CAST(\(term.value) AS DOUBLE)", .real)
    case (.text, .integer): return Term("CAST(\(term.value) AS VARCHAR)", .text)
    case (.blob, .text): return Term("encode(\(term.sql))", .blob)
    case (.text, .real):
      throw unsupported(
        "SQLite and DuckDB write real numbers as different texts", "convert the number in Swift")
    default:
      throw unsupported(
        "CAST of \(term.kind.name) to \(target.declared)", "convert the value in Swift")
    }
  }
}
