import SQLCore

extension Translator {
  /// Reads what follows OVER: the name of a window, or its definition.
  mutating func window() throws -> String {
    guard take(sign: "(") else { return try name().quotedName }
    return "(\(try windowDefinition()))"
  }

  /// Reads the definitions of windows that follow the word WINDOW.
  mutating func namedWindows() throws -> String {
    var windows: [String] = []
    repeat {
      let name = try name().quotedName
      try expect(word: "AS")
      try expect(sign: "(")
      windows.append("\(name) AS (\(try windowDefinition()))")
    } while take(sign: ",")
    return windows.joined(separator: ", ")
  }

  private mutating func windowDefinition() throws -> String {
    var parts: [String] = []
    if let token, token.isName, !isWindowWord(token) { parts.append(try name().quotedName) }
    if take(words: "PARTITION", "BY") {
      var terms: [String] = []
      repeat {
        let term = try expression()
        guard term.kind != .text || term.collation == .binary else {
          throw unsupported(
            "PARTITION BY compares \(term.sql) with a collation", "partition by lower() of it")
        }
        terms.append(term.value)
      } while take(sign: ",")
      parts.append("PARTITION BY \(terms.joined(separator: ", "))")
    }
    if take(words: "ORDER", "BY") {
      var terms: [String] = []
      repeat {
        terms.append(try orderingTerm { $0.sorted(try $0.expression()) })
      } while take(sign: ",")
      parts.append("ORDER BY \(terms.joined(separator: ", "))")
    }
    if let token, ["ROWS", "RANGE", "GROUPS"].contains(where: token.isWord) {
      parts.append(try frame())
    }
    try expect(sign: ")")
    return parts.joined(separator: " ")
  }

  private func isWindowWord(_ token: SQLiteToken) -> Bool {
    token.kind == .word
      && ["PARTITION", "ORDER", "ROWS", "RANGE", "GROUPS"].contains(token.text.uppercased())
  }

  /// Reads the frame of a window. SQLite and DuckDB have the same syntax for frames.
  private mutating func frame() throws -> String {
    let kind = try name().uppercased()
    var sql: String
    if take(word: "BETWEEN") {
      let start = try bound()
      try expect(word: "AND")
      sql = "\(kind) BETWEEN \(start) AND \(try bound())"
    } else {
      sql = "\(kind) \(try bound())"
    }
    if take(word: "EXCLUDE") {
      sql += " EXCLUDE"
      while let token, token.kind == .word,
        ["NO", "OTHERS", "CURRENT", "ROW", "GROUP", "TIES"].contains(token.text.uppercased())
      {
        sql += " " + token.text.uppercased()
        position += 1
      }
    }
    return sql
  }

  private mutating func bound() throws -> String {
    if take(words: "CURRENT", "ROW") { return "CURRENT ROW" }
    var value = "UNBOUNDED"
    if !take(word: "UNBOUNDED") { value = try expression(6).value }
    if take(word: "PRECEDING") { return "\(value) PRECEDING" }
    try expect(word: "FOLLOWING")
    return "\(value) FOLLOWING"
  }

  // MARK: Window functions

  mutating func windowFunction(_ call: Call, _ ending: String) throws -> Term {
    let arguments = call.arguments
    switch (call.name, arguments.count) {
    case ("row_number", 0), ("rank", 0), ("dense_rank", 0):
      return Term("\(call.name)()\(ending)", .integer)
    case ("percent_rank", 0), ("cume_dist", 0): return Term("\(call.name)()\(ending)", .real)
    case ("ntile", 1):
      return Term("ntile(\(try integer(arguments[0], "ntile")))\(ending)", .integer)
    case ("first_value", 1), ("last_value", 1), ("lag", 1), ("lead", 1):
      return Term("\(call.name)(\(arguments[0].value))\(ending)", arguments[0].valueKind)
    case ("nth_value", 2), ("lag", 2), ("lead", 2):
      let number = try integer(arguments[1], call.name)
      return Term("\(call.name)(\(arguments[0].value), \(number))\(ending)", arguments[0].valueKind)
    case ("lag", 3), ("lead", 3):
      let number = try integer(arguments[1], call.name)
      let kind = try common(
        [arguments[0].valueKind, arguments[2].valueKind], of: "the arguments of \(call.name)")
      return Term(
        "\(call.name)(\(arguments[0].value), \(number), \(arguments[2].value))\(ending)", kind)
    default:
      throw unsupported(
        "the window function \(call.name) is not translated", "compute it in Swift")
    }
  }
}
