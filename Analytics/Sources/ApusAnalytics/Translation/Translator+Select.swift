import SQLCore

extension Translator {
  typealias Selected = (sql: String, columns: [Source.Column])

  /// Reads a whole query: WITH, one SELECT or several that are combined by operators such as UNION,
  /// ORDER BY, and LIMIT.
  mutating func select(parent: Scope?) throws -> Selected {
    try nested { translator in
      let (outer, common) = (translator.scope, translator.commonTables.count)
      defer {
        translator.scope = outer
        translator.commonTables.removeLast(translator.commonTables.count - common)
      }
      let with = try translator.with(parent: parent)
      let body = try translator.compound(parent: parent)
      return (with + body.sql, body.columns)
    }
  }

  // MARK: WITH

  private mutating func with(parent: Scope?) throws -> String {
    guard take(word: "WITH") else { return "" }
    let isRecursive = take(word: "RECURSIVE")
    var parts: [String] = []
    repeat {
      let name = try name()
      var columns: [String]?
      if take(sign: "(") { columns = try names() }
      try expect(word: "AS")
      let isKept = take(word: "MATERIALIZED")
      let isMerged = !isKept && take(words: "NOT", "MATERIALIZED")
      try expect(sign: "(")
      let query = try commonTable(name, columns, isRecursive: isRecursive, parent: parent)
      try expect(sign: ")")
      let table = Source(name: name, columns: Self.renamed(query.columns, columns))
      commonTables.append(table)
      let list = table.columns.map(\.name.quotedName).joined(separator: ", ")
      let hint = isKept ? " MATERIALIZED" : isMerged ? " NOT MATERIALIZED" : ""
      parts.append("\(name.quotedName) (\(list)) AS\(hint) (\(query.sql))")
    } while take(sign: ",")
    return "WITH \(isRecursive ? "RECURSIVE " : "")\(parts.joined(separator: ", ")) "
  }

  private mutating func names() throws -> [String] {
    var names = [try name()]
    while take(sign: ",") { names.append(try name()) }
    try expect(sign: ")")
    return names
  }

  private static func renamed(_ columns: [Source.Column], _ names: [String]?) -> [Source.Column] {
    guard let names, names.count == columns.count else { return columns }
    return zip(columns, names).map {
      Source.Column(name: $1, kind: $0.kind, collation: $0.collation)
    }
  }

  /// Reads the query of a common table expression. The second SELECT of a recursive expression may
  /// read the expression itself, so the columns of the expression are known once the first SELECT
  /// was read.
  private mutating func commonTable(
    _ name: String, _ columns: [String]?, isRecursive: Bool, parent: Scope?
  ) throws -> Selected {
    guard isRecursive, !isWord("WITH") else { return try select(parent: parent) }
    let outer = scope
    let count = commonTables.count
    defer {
      scope = outer
      commonTables.removeLast(commonTables.count - count)
    }
    return try compound(parent: parent) { translator, first in
      translator.commonTables.append(
        Source(name: name, columns: Self.renamed(first, columns)))
    }
  }

  // MARK: Compounds

  private mutating func compound(
    parent: Scope?, afterFirst: ((inout Translator, [Source.Column]) -> Void)? = nil
  ) throws -> Selected {
    var (sql, columns) = try core(parent: parent)
    let single = scope
    var isCompound = false
    while let word = compoundOperator() {
      if !isCompound { afterFirst?(&self, columns) }
      isCompound = true
      let next = try core(parent: parent)
      guard next.columns.count == columns.count else { throw unexpected() }
      for (index, pair) in zip(columns, next.columns).enumerated() {
        guard pair.0.collation == .binary, pair.1.collation == .binary || word == "UNION ALL" else {
          throw unsupported(
            "\(word) compares texts with a collation in SQLite",
            "use lower() or a binary collation")
        }
        let kind = try common([pair.0.kind, pair.1.kind], of: "the parts of \(word)")
        columns[index] = Source.Column(name: pair.0.name, kind: kind)
      }
      sql = "\(sql) \(word) \(next.sql)"
      // SQLite combines the SELECTs from left to right. Without parentheses, DuckDB would run
      // INTERSECT first.
      if compoundFollows, afterFirst == nil { sql = "(\(sql))" }
    }
    scope = single
    let order = try orderBy(columns, isCompound: isCompound)
    let limit = try limit()
    isOrderedWithoutLimit = !order.isEmpty && limit.isEmpty
    return (sql + order + limit, columns)
  }

  private var compoundFollows: Bool {
    isWord("UNION") || isWord("INTERSECT") || isWord("EXCEPT")
  }

  private mutating func compoundOperator() -> String? {
    if take(words: "UNION", "ALL") { return "UNION ALL" }
    for word in ["UNION", "INTERSECT", "EXCEPT"] where take(word: word) { return word }
    return nil
  }

  // MARK: SELECT

  private mutating func core(parent: Scope?) throws -> Selected {
    scope = Scope(parent: parent)
    if take(word: "VALUES") { return try valueRows() }
    try expect(word: "SELECT")
    let isDistinct = take(word: "DISTINCT")
    _ = take(word: "ALL")
    let list = position
    let from = endOfList()
    position = from
    var sql = ""
    if take(word: "FROM") { sql = " FROM " + (try joins()) }
    let rest = position
    position = list
    let terms = try selectedTerms()
    guard position == from else { throw unexpected() }
    position = rest
    if isDistinct, let term = terms.first(where: { $0.term.collation != .binary }) {
      throw unsupported(
        "DISTINCT compares \(term.name) with a collation in SQLite",
        "select lower() of it, or another collation")
    }
    scope.selected = terms
    if take(word: "WHERE") { sql += " WHERE " + (try condition(try expression())) }
    if take(words: "GROUP", "BY") { sql += " GROUP BY " + (try groups()) }
    if take(word: "HAVING") { sql += " HAVING " + (try condition(try expression())) }
    if take(word: "WINDOW") { sql += " WINDOW " + (try namedWindows()) }
    let columns = terms.map {
      Source.Column(name: $0.name, kind: $0.term.valueKind, collation: $0.term.collation)
    }
    let items = terms.map { "\($0.term.value) AS \($0.name.quotedName)" }
    return (
      "SELECT \(isDistinct ? "DISTINCT " : "")\(items.joined(separator: ", "))\(sql)", columns
    )
  }

  /// Returns the position of the token that follows the list of selected expressions.
  private func endOfList() -> Int {
    let ends = [
      "FROM", "WHERE", "GROUP", "HAVING", "WINDOW", "ORDER", "LIMIT", "UNION", "INTERSECT",
      "EXCEPT",
    ]
    var depth = 0
    var index = position
    while index < source.tokens.count {
      let token = source.tokens[index]
      if token.isSign("(") { depth += 1 }
      if token.isSign(")") {
        if depth == 0 { return index }
        depth -= 1
      }
      if depth == 0, token.isSign(";") { return index }
      if depth == 0, token.kind == .word, ends.contains(token.text.uppercased()),
        !source.tokens[index - 1].isWord("DISTINCT") || !token.isWord("FROM")
      {
        return index
      }
      index += 1
    }
    return index
  }

  private mutating func selectedTerms() throws -> [(name: String, term: Term)] {
    var terms: [(name: String, term: Term)] = []
    repeat {
      if take(sign: "*") {
        for source in scope.sources { terms += Self.columns(of: source) }
        continue
      }
      if let token, token.isName, self.token(after: 1)?.isSign(".") == true,
        self.token(after: 2)?.isSign("*") == true
      {
        guard let source = scope.sources.first(where: { $0.name.isSameName(as: token.text) }) else {
          throw unexpected()
        }
        position += 3
        terms += Self.columns(of: source)
        continue
      }
      let start = position
      let term = try expression()
      let written = source.tokens[start..<position]
      var name = source.text(
        (written.first?.range.lowerBound ?? 0)..<(written.last?.range.upperBound ?? 0))
      let isName = written.count == 1 || written.dropFirst().first?.isSign(".") == true
      if term.isColumn, isName, let last = written.last { name = last.text }
      if take(word: "AS") {
        name = try self.name()
      } else if let token, token.isName, !isClause(token) {
        name = try self.name()
      }
      guard term.kind != .row else { throw unexpected() }
      terms.append((name, term))
    } while take(sign: ",")
    return terms
  }

  private func isClause(_ token: SQLiteToken) -> Bool {
    token.kind == .word
      && [
        "FROM", "WHERE", "GROUP", "HAVING", "WINDOW", "ORDER", "LIMIT", "UNION", "INTERSECT",
        "EXCEPT",
      ].contains(token.text.uppercased())
  }

  static func columns(of source: Source) -> [(name: String, term: Term)] {
    source.columns.map { ($0.name, term(of: $0, in: source)) }
  }

  static func term(of column: Source.Column, in source: Source) -> Term {
    var term = Term("\(source.name.quotedName).\(column.name.quotedName)", column.kind)
    term.collation = column.collation
    term.isColumn = true
    return term
  }

  private mutating func valueRows() throws -> Selected {
    var rows: [String] = []
    var kinds: [Term.Kind] = []
    repeat {
      try expect(sign: "(")
      var terms = [try expression()]
      while take(sign: ",") { terms.append(try expression()) }
      try expect(sign: ")")
      kinds =
        kinds.isEmpty
        ? terms.map(\.valueKind)
        : try zip(kinds, terms).map { try common([$0, $1.valueKind], of: "the rows of VALUES") }
      rows.append("(\(terms.map(\.value).joined(separator: ", ")))")
    } while take(sign: ",")
    let columns = kinds.enumerated().map {
      Source.Column(name: "column\($0 + 1)", kind: $1)
    }
    let names = columns.map(\.name.quotedName).joined(separator: ", ")
    return ("SELECT * FROM (VALUES \(rows.joined(separator: ", "))) AS v(\(names))", columns)
  }

  // MARK: GROUP BY, ORDER BY, LIMIT

  private mutating func groups() throws -> String {
    var parts: [String] = []
    repeat {
      if let token, token.kind == .number, let number = Int(token.text), ends(after: 1) {
        position += 1
        guard scope.selected.indices.contains(number - 1) else { throw unexpected() }
        parts.append(try group(scope.selected[number - 1].term))
        continue
      }
      parts.append(try group(try expression()))
    } while take(sign: ",")
    return parts.joined(separator: ", ")
  }

  private func group(_ term: Term) throws -> String {
    guard term.collation == .binary || term.kind != .text else {
      throw unsupported(
        "GROUP BY compares \(term.sql) with a collation in SQLite", "group by lower() of it")
    }
    // In GROUP BY, DuckDB would interpret a constant as the number of a column. In a subquery, it
    // does not.
    return term.constant == nil ? term.value : "(SELECT \(term.value))"
  }

  private func ends(after offset: Int) -> Bool {
    guard let next = token(after: offset) else { return true }
    return next.isSign(",") || next.isSign(")") || next.isSign(";")
      || next.kind == .word
        && [
          "HAVING", "WINDOW", "ORDER", "LIMIT", "UNION", "INTERSECT", "EXCEPT", "ASC", "DESC",
          "NULLS",
        ].contains(next.text.uppercased())
  }

  private mutating func orderBy(_ columns: [Source.Column], isCompound: Bool) throws -> String {
    guard take(words: "ORDER", "BY") else { return "" }
    var parts: [String] = []
    repeat {
      parts.append(try orderingTerm { try $0.orderedValue(columns, isCompound) })
    } while take(sign: ",")
    return " ORDER BY " + parts.joined(separator: ", ")
  }

  /// Reads a sort key: the number or name of a selected column, or an expression.
  private mutating func orderedValue(
    _ columns: [Source.Column], _ isCompound: Bool
  ) throws -> String {
    var place: Int?
    if let token, ends(after: 1) {
      if token.kind == .number {
        place = Int(token.text).map { $0 - 1 }
      } else if token.isName {
        place = columns.firstIndex { $0.name.isSameName(as: token.text) }
      }
    }
    if let place {
      guard columns.indices.contains(place) else { throw unexpected() }
      position += 1
      if columns[place].collation != .binary, scope.selected.indices.contains(place) {
        return sorted(scope.selected[place].term)
      }
      return "\(place + 1)"
    }
    let term = try expression()
    guard !isCompound else {
      throw unsupported(
        "a compound query is ordered by an expression", "order by its columns")
    }
    return term.constant == nil ? sorted(term) : "(SELECT \(term.value))"
  }

  /// Returns the SQL of a sort key. DuckDB sorts by this key in the order in which SQLite sorts by
  /// the term and its collation.
  func sorted(_ term: Term) -> String {
    guard term.kind == .text else { return term.value }
    return collated(term, term.collation)
  }

  /// Reads a sort key with its direction and the position of NULLs. By default, NULLs come first in
  /// ascending order, and last in descending order.
  mutating func orderingTerm(
    _ value: (inout Translator) throws -> String
  ) throws -> String {
    let sql = try value(&self)
    let isDescending = take(word: "DESC")
    if !isDescending { _ = take(word: "ASC") }
    var nullsFirst = !isDescending
    if take(words: "NULLS", "FIRST") { nullsFirst = true }
    if take(words: "NULLS", "LAST") { nullsFirst = false }
    return "\(sql) \(isDescending ? "DESC" : "ASC") NULLS \(nullsFirst ? "FIRST" : "LAST")"
  }

  private mutating func limit() throws -> String {
    guard take(word: "LIMIT") else { return "" }
    var limit = try wholeNumber()
    var offset: Int64 = 0
    if take(word: "OFFSET") {
      offset = try wholeNumber()
    } else if take(sign: ",") {
      offset = limit
      limit = try wholeNumber()
    }
    let rows = limit < 0 || limit >= 1 << 61 ? "" : " LIMIT \(limit)"
    return rows + (offset > 0 ? " OFFSET \(min(offset, 1 << 61))" : "")
  }

  private mutating func wholeNumber() throws -> Int64 {
    guard case .integer(let number)? = try expression().constant else {
      throw unsupported("LIMIT and OFFSET are expressions", "pass whole numbers")
    }
    return number
  }
}
