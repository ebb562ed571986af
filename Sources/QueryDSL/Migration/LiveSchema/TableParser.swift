import SQLCore

/// Reads the definition of a table, as `sqlite_schema` keeps it.
///
/// SQLite accepted the text, so that only its parts must be told apart.
/// - SeeAlso: <https://www.sqlite.org/lang_createtable.html>
struct TableParser {
  private let sql: SQLTokens
  private var rest: ArraySlice<SQLTokens.Token>
  private var table: LiveTable

  /// The definition is none of a table that this can read.
  struct Unreadable: Error {
    let sql: String
  }

  static func parse(_ text: String) throws -> LiveTable {
    var parser = TableParser(text)
    try parser.readTable()
    return parser.table
  }

  private init(_ text: String) {
    sql = SQLTokens(text)
    rest = sql.tokens[...]
    table = LiveTable(name: "", sql: text)
  }

  // MARK: The table

  private mutating func readTable() throws {
    while let token = rest.first, !token.isWord("table") {
      guard token.isWord("create") || token.isWord("temp") || token.isWord("temporary") else {
        throw unreadable
      }
      rest = rest.dropFirst()
    }
    rest = rest.dropFirst()
    for word in ["if", "not", "exists"] { _ = take(word) }
    table.name = try name()
    if takeSign(".") { table.name = try name() }
    guard takeSign("(") else { throw unreadable }
    while !takeSign(")") {
      guard !rest.isEmpty else { throw unreadable }
      if startsTableConstraint { try readTableConstraint() } else { try readColumn() }
      _ = takeSign(",")
    }
    while let token = rest.popFirst() {
      if token.isWord("strict") { table.isStrict = true }
      if token.isWord("without") { table.isWithoutRowID = true }
    }
  }

  private var startsTableConstraint: Bool {
    guard !table.columns.isEmpty, let first = rest.first, first.kind == .word else { return false }
    switch first.value.lowercasedASCII {
    case "constraint", "check", "unique", "primary", "foreign": return true
    default: return false
    }
  }

  private mutating func readTableConstraint() throws {
    let start = rest.startIndex
    let constraintName = take("constraint") ? try name() : nil
    if take("primary") {
      _ = take("key")
      let terms = try parenthesised()
      table.key.columns = Self.columnNames(terms)
      table.key.isAutoincrement = terms.last?.isWord("autoincrement") ?? false
      table.key.terms = sql.text(table.key.isAutoincrement ? terms.dropLast() : terms)
      table.key.conflict = conflict()
      return
    }
    let kind: LiveTable.Constraint.Kind
    if take("unique") {
      kind = .unique(Self.columnNames(try parenthesised()))
      _ = conflict()
    } else if take("check") {
      kind = .check(sql.text(try parenthesised()))
      _ = conflict()
    } else if take("foreign") {
      _ = take("key")
      let columns = Self.columnNames(try parenthesised())
      guard take("references") else { throw unreadable }
      kind = .foreignKey(try references(of: columns))
    } else {
      throw unreadable
    }
    table.constraints.append(
      LiveTable.Constraint(name: constraintName, kind: kind, text: textSince(start)))
  }

  // MARK: Columns

  private mutating func readColumn() throws {
    var column = LiveTable.Column(name: try name())
    let typeStart = rest.startIndex
    let nameIndex = typeStart - 1
    while let token = rest.first, !isColumnEnd(token), !Self.startsColumnConstraint(token) {
      if token.isSign("(") { _ = try parenthesised() } else { rest = rest.dropFirst() }
    }
    column.type = sql.text(sql.tokens[typeStart..<rest.startIndex])
    if sql.tokens[typeStart..<rest.startIndex].count == 1 {
      column.type = sql.tokens[typeStart].value
    }
    column.typeEnd = sql.tokens[rest.startIndex - 1].range.upperBound
    while let token = rest.first, !isColumnEnd(token) {
      // A constraint of the table may stand behind the last column without a comma.
      if startsTableConstraint, !Self.startsColumnConstraint(token) { break }
      try readColumnConstraint(of: &column)
    }
    column.form = sql.rememberedForm(in: nameIndex..<rest.startIndex)
    table.columns.append(column)
  }

  private func isColumnEnd(_ token: SQLTokens.Token) -> Bool {
    token.isSign(",") || token.isSign(")")
  }

  private static func startsColumnConstraint(_ token: SQLTokens.Token) -> Bool {
    guard token.kind == .word else { return false }
    switch token.value.lowercasedASCII {
    case "constraint", "primary", "not", "null", "unique", "check", "default", "collate",
      "references", "generated", "as":
      return true
    default:
      return false
    }
  }

  private mutating func readColumnConstraint(of column: inout LiveTable.Column) throws {
    let constraintName = take("constraint") ? try name() : nil
    let prefix = constraintName.map { "CONSTRAINT \(Identifier($0).quoted) " } ?? ""
    let quoted = Identifier(column.name).quoted
    let start = rest.startIndex
    func append(_ kind: LiveTable.Constraint.Kind, _ text: String) {
      table.constraints.append(
        LiveTable.Constraint(name: constraintName, kind: kind, text: prefix + text))
    }
    if take("primary") {
      _ = take("key")
      _ = take("asc")
      table.key.columns = [column.name]
      table.key.isDescending = take("desc")
      table.key.terms = quoted + (table.key.isDescending ? " DESC" : "")
      table.key.conflict = conflict()
      table.key.isAutoincrement = take("autoincrement")
    } else if take("not") {
      _ = take("null")
      _ = conflict()
      column.isNotNull = true
      column.notNullText = textSince(start)
    } else if take("null") {
      _ = conflict()
    } else if take("unique") {
      let behind = conflict()
      append(.unique([column.name]), "UNIQUE (\(quoted))\(behind)")
    } else if take("check") {
      let text = sql.text(try parenthesised())
      append(.check(text), textSince(start))
    } else if take("default") {
      column.defaultText = try defaultText()
    } else if take("collate") {
      column.collation = try name()
    } else if take("references") {
      let key = try references(of: [column.name])
      append(.foreignKey(key), "FOREIGN KEY (\(quoted)) \(textSince(start))")
    } else if take("generated") || rest.first?.isWord("as") == true {
      _ = take("always")
      guard take("as") else { throw unreadable }
      let expression = sql.text(try parenthesised())
      let isStored = take("stored")
      if !isStored { _ = take("virtual") }
      column.generated = LiveTable.Generated(expression: expression, isStored: isStored)
    } else {
      throw unreadable
    }
  }

  private mutating func defaultText() throws -> String {
    let start = rest.startIndex
    if rest.first?.isSign("(") == true {
      _ = try parenthesised()
    } else {
      if rest.first?.isSign("+") == true || rest.first?.isSign("-") == true {
        rest = rest.dropFirst()
      }
      rest = rest.dropFirst()
    }
    return textSince(start)
  }

  // MARK: Parts

  private mutating func references(of columns: [String]) throws -> LiveTable.ForeignKey {
    var key = LiveTable.ForeignKey(columns: columns, target: try name(), targetColumns: [])
    if rest.first?.isSign("(") == true { key.targetColumns = Self.columnNames(try parenthesised()) }
    while true {
      if take("on") {
        let isDelete = take("delete")
        if !isDelete { _ = take("update") }
        var action = rest.popFirst()?.value.uppercased() ?? ""
        if action == "SET" || action == "NO" {
          action += " " + (rest.popFirst()?.value.uppercased() ?? "")
        }
        if isDelete { key.onDelete = action } else { key.onUpdate = action }
      } else if take("match") {
        _ = rest.popFirst()
      } else if isDeferrable {
        let isNot = take("not")
        _ = take("deferrable")
        if take("initially") {
          key.isDeferred = rest.popFirst()?.isWord("deferred") == true && !isNot
        }
      } else {
        return key
      }
    }
  }

  /// `NOT NULL` may stand behind REFERENCES as well.
  private var isDeferrable: Bool {
    guard let first = rest.first else { return false }
    return first.isWord("deferrable")
      || first.isWord("not") && rest.dropFirst().first?.isWord("deferrable") == true
  }

  private mutating func conflict() -> String {
    let start = rest.startIndex
    guard take("on") else { return "" }
    _ = take("conflict")
    _ = rest.popFirst()
    return " " + textSince(start)
  }

  /// What stands between parentheses.
  private mutating func parenthesised() throws -> ArraySlice<SQLTokens.Token> {
    guard takeSign("(") else { throw unreadable }
    let start = rest.startIndex
    var depth = 1
    while let token = rest.first {
      if token.isSign("(") { depth += 1 }
      if token.isSign(")") { depth -= 1 }
      if depth == 0 {
        let inside = sql.tokens[start..<rest.startIndex]
        rest = rest.dropFirst()
        return inside
      }
      rest = rest.dropFirst()
    }
    throw unreadable
  }

  /// The names with which the terms of a list begin.
  private static func columnNames(_ tokens: ArraySlice<SQLTokens.Token>) -> [String] {
    tokens.split { $0.isSign(",") }.compactMap { $0.first?.value }
  }

  private func textSince(_ start: Int) -> String {
    sql.text(sql.tokens[start..<rest.startIndex])
  }

  private mutating func name() throws -> String {
    guard let token = rest.popFirst(), token.isName else { throw unreadable }
    return token.value
  }

  private mutating func take(_ word: String) -> Bool {
    guard rest.first?.isWord(word) == true else { return false }
    rest = rest.dropFirst()
    return true
  }

  private mutating func takeSign(_ sign: String) -> Bool {
    guard rest.first?.isSign(sign) == true else { return false }
    rest = rest.dropFirst()
    return true
  }

  private var unreadable: Unreadable { Unreadable(sql: table.sql) }
}
