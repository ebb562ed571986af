import SQLCore

extension Translator {
  // MARK: Collations

  /// Returns the SQL of a text that is converted, so that DuckDB's comparison of two such texts has
  /// the same result as the comparison by SQLite's collation.
  func collated(_ term: Term, _ collation: KnownCollation) -> String {
    switch collation {
    case .binary: term.value
    case .noCase: once([term.value]) { "apus_lower(\($0[0]))" }
    case .rightTrimmed: "rtrim(\(term.value), ' ')"
    }
  }

  mutating func collated(_ term: Term) throws -> Term {
    let name = try name()
    guard let collation = KnownCollation(rawValue: name.uppercased()) else {
      throw unsupported(
        "the collation \(name) is a function in Swift",
        "sort and compare in Swift, or use BINARY, NOCASE or RTRIM")
    }
    var term = term
    term.collation = collation
    term.hasExplicitCollation = true
    return term
  }

  /// Returns the collation that SQLite uses for a comparison. A COLLATE operator on either side
  /// decides before the collation of a column does. If both sides have a COLLATE operator, or if
  /// both sides are columns, the left side decides.
  /// - SeeAlso: <https://www.sqlite.org/datatype3.html#collation>
  func collation(_ left: Term, _ right: Term) -> KnownCollation {
    if left.hasExplicitCollation { return left.collation }
    if right.hasExplicitCollation { return right.collation }
    if left.isColumn { return left.collation }
    return right.isColumn ? right.collation : .binary
  }

  // MARK: Comparisons

  func compare(_ sign: String, _ left: Term, _ right: Term) throws -> Term {
    if left.kind == .row || right.kind == .row { return try compareRows(sign, left, right) }
    let kinds = (left.valueKind, right.valueKind)
    switch kinds {
    case (.null, _), (_, .null): return Term("CAST(NULL AS BOOLEAN)", .condition)
    case (.integer, .real): return Term(exactly(sign, left.value, right.value), .condition)
    case (.real, .integer):
      let turned = ["<": ">", "<=": ">=", ">": "<", ">=": "<="][sign] ?? sign
      return Term(exactly(turned, right.value, left.value), .condition)
    case (.text, .text):
      let collation = collation(left, right)
      return Term(
        "(\(collated(left, collation)) \(sign) \(collated(right, collation)))", .condition)
    case (.blob, .text), (.blob, .integer), (.blob, .real):
      return unlike(sign, ">", left, right)
    case (.text, .blob), (.integer, .blob), (.real, .blob):
      return unlike(sign, "<", left, right)
    default:
      try checkSame(left, right)
      return Term("(\(left.value) \(sign) \(right.value))", .condition)
    }
  }

  /// Returns the comparison of a BLOB with a text or a number. In SQLite, the BLOB is always
  /// greater.
  private func unlike(_ sign: String, _ order: Character, _ left: Term, _ right: Term) -> Term {
    let truth = sign == "<>" || sign != "=" && sign.contains(order)
    return Term(
      "CASE WHEN \(left.value) IS NOT NULL AND \(right.value) IS NOT NULL THEN \(truth) END",
      .condition)
  }

  /// Returns the exact comparison of an integer with a real number. DuckDB would convert the
  /// integer to a DOUBLE, which rounds large integers.
  private func exactly(_ sign: String, _ integer: String, _ real: String) -> String {
    switch sign {
    case "<": once([integer, real]) { "apus_lt(\($0[0]), \($0[1]))" }
    case "<=": once([integer, real]) { "apus_le(\($0[0]), \($0[1]))" }
    case ">": "(NOT \(exactly("<=", integer, real)))"
    case ">=": "(NOT \(exactly("<", integer, real)))"
    case "=": once([integer, real]) { "apus_eq(\($0[0]), \($0[1]))" }
    default: "(NOT \(exactly("=", integer, real)))"
    }
  }

  private func checkSame(_ left: Term, _ right: Term) throws {
    guard left.valueKind != right.valueKind else { return }
    throw unsupported(
      "\(left.kind.name) is compared with \(right.kind.name): SQLite orders values of different types",
      "compare values of one type")
  }

  /// Compares row values element by element, because DuckDB would treat a NULL element like any
  /// other value.
  private func compareRows(_ sign: String, _ left: Term, _ right: Term) throws -> Term {
    guard left.elements.count == right.elements.count, left.elements.count > 1 else {
      throw unsupported("a row value is compared with another kind of value", "compare the columns")
    }
    let pairs = Array(zip(left.elements, right.elements))
    if sign == "=" || sign == "<>" {
      let parts = try pairs.map { try compare(sign, $0, $1).sql }
      return Term("(\(parts.joined(separator: sign == "=" ? " AND " : " OR ")))", .condition)
    }
    let strict = String(sign.prefix(1))
    var sql = ""
    for (index, pair) in pairs.enumerated().reversed() {
      let last = index == pairs.count - 1
      let less = try compare(last ? sign : strict, pair.0, pair.1).sql
      sql = last ? less : "(\(less) OR (\(try compare("=", pair.0, pair.1).sql) AND \(sql)))"
    }
    return Term(sql, .condition)
  }

  private func identical(_ left: Term, _ right: Term, isNegated: Bool) throws -> Term {
    let not = isNegated ? "NOT " : ""
    if right.kind == .null { return Term("(\(left.value) IS \(not)NULL)", .condition) }
    if left.kind == .null { return Term("(\(right.value) IS \(not)NULL)", .condition) }
    if left.kind == .row || right.kind == .row {
      throw unsupported("row values are compared with IS", "compare the columns")
    }
    if left.valueKind == right.valueKind {
      let collation = left.kind == .text ? collation(left, right) : .binary
      let sides = (collated(left.settled, collation), collated(right.settled, collation))
      let sign = isNegated ? "IS DISTINCT FROM" : "IS NOT DISTINCT FROM"
      return Term("(\(sides.0) \(sign) \(sides.1))", .condition)
    }
    return try once([left, right]) {
      let equal = try compare("=", $0[0], $0[1]).sql
      return Term(
        "(\(not)coalesce(\(equal), \($0[0].sql) IS NULL AND \($0[1].sql) IS NULL))", .condition)
    }
  }

  // MARK: IS, IN, LIKE, BETWEEN

  mutating func test(_ left: Term) throws -> Term? {
    if take(word: "ISNULL") { return Term("(\(left.value) IS NULL)", .condition) }
    if take(word: "NOTNULL") { return Term("(\(left.value) IS NOT NULL)", .condition) }
    if take(words: "NOT", "NULL") { return Term("(\(left.value) IS NOT NULL)", .condition) }
    if take(word: "IS") {
      var isNegated = take(word: "NOT")
      if take(words: "DISTINCT", "FROM") { isNegated.toggle() }
      for truth in ["TRUE", "FALSE"] where take(word: truth) {
        let not = isNegated ? "NOT " : ""
        return Term("(\(try condition(left)) IS \(not)\(truth))", .condition)
      }
      return try identical(left, try expression(5), isNegated: isNegated)
    }
    let isNegated = isWord("NOT")
    let operation = token(after: isNegated ? 1 : 0)?.text.uppercased() ?? ""
    guard ["IN", "LIKE", "GLOB", "BETWEEN", "MATCH", "REGEXP"].contains(operation) else {
      return nil
    }
    position += isNegated ? 2 : 1
    let term: Term
    switch operation {
    case "IN": term = try membership(left, isNegated: isNegated)
    case "LIKE": term = try like(left)
    case "GLOB": term = try glob(left)
    case "BETWEEN":
      let lower = try expression(5)
      try expect(word: "AND")
      let upper = try expression(5)
      term = try once([left, lower, upper]) {
        let (low, high) = (try compare(">=", $0[0], $0[1]), try compare("<=", $0[0], $0[2]))
        return Term("(\(low.sql) AND \(high.sql))", .condition)
      }
    default:
      throw unsupported(
        "\(operation) has no counterpart in DuckDB", "search in the database that is copied")
    }
    return isNegated ? Term("(NOT \(term.sql))", .condition) : term
  }

  private mutating func membership(_ left: Term, isNegated: Bool) throws -> Term {
    try expect(sign: "(")
    if take(sign: ")") { return Term("FALSE", .condition) }
    guard isWord("SELECT") || isWord("WITH") || isWord("VALUES") else {
      var elements: [Term] = []
      repeat { elements.append(try expression()) } while take(sign: ",")
      try expect(sign: ")")
      func tests(_ left: Term, _ elements: ArraySlice<Term>) throws -> Term {
        let tests = try elements.map { try compare("=", left, $0).sql }
        return Term("(\(tests.joined(separator: " OR ")))", .condition)
      }
      guard left.kind != .row else { return try tests(left, elements[...]) }
      return try once([left] + elements) { try tests($0[0], $0[1...]) }
    }
    let query = try select(parent: scope)
    try expect(sign: ")")
    let elements = left.kind == .row ? left.elements : [left]
    guard query.columns.count == elements.count else { throw unexpected() }
    guard elements.count == 1 || !isNegated else {
      throw unsupported(
        "NOT IN compares row values, whose NULLs DuckDB treats as values", "write NOT EXISTS")
    }
    var sides: (left: [String], right: [String]) = ([], [])
    for (index, (element, column)) in zip(elements, query.columns).enumerated() {
      let name = "c\(index)"
      var other = Term(name, column.kind)
      other.collation = column.collation
      if element.kind != .null, column.kind != .null { try checkSame(element, other) }
      let collation = element.kind == .text ? collation(element, other) : .binary
      sides.left.append(collated(element, collation))
      sides.right.append(collated(other, collation))
    }
    let names = elements.indices.map { "c\($0)" }.joined(separator: ", ")
    let isPlain = sides.right == elements.indices.map { "c\($0)" }
    let rows =
      isPlain
      ? query.sql
      : "SELECT \(sides.right.joined(separator: ", ")) FROM (\(query.sql)) AS apus_in(\(names))"
    let value = sides.left.count == 1 ? sides.left[0] : "(\(sides.left.joined(separator: ", ")))"
    return Term("(\(value) IN (\(rows)))", .condition)
  }

  // MARK: Patterns

  private mutating func like(_ left: Term) throws -> Term {
    let pattern = try expression(5)
    var escape: Term?
    if take(word: "ESCAPE") { escape = try expression(5) }
    let text = try text(left, "LIKE")
    if left.kind == .null || pattern.kind == .null {
      return Term("CAST(NULL AS BOOLEAN)", .condition)
    }
    guard let escape else {
      if case .text(let constant)? = pattern.constant {
        return try like(text, pattern: constant, escape: "")
      }
      let lower = once([text]) { "apus_lower(\($0[0]))" }
      let other = once([try self.text(pattern, "LIKE")]) { "apus_lower(\($0[0]))" }
      return Term("(\(lower) LIKE \(other))", .condition)
    }
    guard case .text(let character)? = escape.constant, character.unicodeScalars.count == 1,
      case .text(let constant)? = pattern.constant
    else {
      throw unsupported("ESCAPE stands beside a computed pattern", "write the pattern as a value")
    }
    // The pattern is rewritten so that its escape character is `\`. The original escape character
    // may be a letter, which must not change when the pattern is converted to lower case.
    guard let written = Self.likePattern(constant, escape: character.unicodeScalars.first) else {
      // In SQLite, no text matches a pattern that ends with its escape character.
      return Term("(\(text) IS NULL AND NULL)", .condition)
    }
    return try like(text, pattern: written, escape: " ESCAPE '\\'")
  }

  /// Returns a condition that combines ILIKE and LIKE. DuckDB's ILIKE is fast, but ignores the case
  /// of all letters, while SQLite's LIKE ignores only the case of ASCII letters. The LIKE removes
  /// the additional matches.
  private mutating func like(_ text: String, pattern: String, escape: String) throws -> Term {
    let value = try parameter(.text(Self.lowercased(pattern))).sql
    return Term(
      once([text]) {
        "(\($0[0]) ILIKE \(value)\(escape) AND apus_lower(\($0[0])) LIKE \(value)\(escape))"
      }, .condition)
  }

  /// Returns the text with ASCII letters in lower case, as SQLite compares them.
  private static func lowercased(_ text: String) -> String {
    String(
      decoding: text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }

  private static func likePattern(_ pattern: String, escape: Unicode.Scalar?) -> String? {
    var written = String.UnicodeScalarView()
    var isEscaped = false
    for scalar in pattern.unicodeScalars {
      if scalar == escape, !isEscaped {
        isEscaped = true
        continue
      }
      if isEscaped && (scalar == "%" || scalar == "_") || scalar == "\\" { written.append("\\") }
      written.append(scalar)
      isEscaped = false
    }
    return isEscaped ? nil : String(written)
  }

  /// Translates GLOB into DuckDB's LIKE, which distinguishes capital and small letters, as GLOB
  /// does.
  private mutating func glob(_ left: Term) throws -> Term {
    let pattern = try expression(5)
    let text = try text(left, "GLOB")
    if left.kind == .null || pattern.kind == .null {
      return Term("CAST(NULL AS BOOLEAN)", .condition)
    }
    guard case .text(let constant)? = pattern.constant, !constant.contains("[") else {
      throw unsupported(
        "GLOB has a computed pattern, or one with a set of characters",
        "use LIKE, or filter in Swift")
    }
    var written = ""
    for character in constant {
      switch character {
      case "*": written += "%"
      case "?": written += "_"
      case "%", "_", "\\": written += "\\\(character)"
      default: written.append(character)
      }
    }
    return Term("(\(text) LIKE \(try parameter(.text(written)).sql) ESCAPE '\\')", .condition)
  }
}
