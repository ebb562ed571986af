import SQLCore

/// A parser for the definition of a table, as `sqlite_schema` stores it.
///
/// SQLite has already accepted the text, so the parser does not check it and only separates the
/// parts. Every token must belong to a part that the parser knows. Otherwise parsing throws
/// `Unreadable`, so that a rebuild cannot lose a part that the parser skipped.
/// - SeeAlso: <https://www.sqlite.org/lang_createtable.html>
package struct TableParser {
  let sql: SQLTokens
  var rest: ArraySlice<SQLTokens.Token>
  var table: ExistingTable

  /// The error for a definition that the parser cannot read.
  package struct Unreadable: Error {
    let sql: String
  }

  package static func parse(_ text: String) throws -> ExistingTable {
    var parser = TableParser(text)
    try parser.readTable()
    return parser.table
  }

  private init(_ text: String) {
    sql = SQLTokens(text)
    rest = sql.tokens[...]
    table = ExistingTable(name: "", sql: text)
  }

  // MARK: The table

  private mutating func readTable() throws {
    try require("create")
    if !take("temp") { _ = take("temporary") }
    try require("table")
    // `if` may also be the name of the table.
    if rest.first?.isWord("if") == true, rest.dropFirst().first?.isWord("not") == true {
      rest = rest.dropFirst(2)
      try require("exists")
    }
    table.name = try name()
    if takeSign(".") { table.name = try name() }
    table.comments = comments()
    guard takeSign("(") else { throw unreadable }
    var above = comments()
    while true {
      if startsTableConstraint {
        try readTableConstraints(above)
      } else if table.key.text == nil, table.constraints.allSatisfy(\.isAtColumn) {
        try readColumn(above)
      } else {
        throw unreadable
      }
      // A comment before the comma, or after it on the same line, belongs to the previous item.
      var trailing = comments()
      let isLast = !takeSign(",")
      let behind = isLast ? [] : comments()
      trailing += behind.prefix { !$0.isOnLineBelow }
      above = Array(behind.drop { !$0.isOnLineBelow })
      appendToLast(trailing)
      if isLast { break }
    }
    guard takeSign(")") else { throw unreadable }
    try readOptions()
  }

  /// Adds comments to the column or constraint that was read last.
  private mutating func appendToLast(_ comments: [SQLComment]) {
    guard !comments.isEmpty else { return }
    switch lastItem {
    case .column: table.columns[table.columns.count - 1].comments.trailing += comments
    case .key: table.key.comments.trailing += comments
    case .constraint: table.constraints[table.constraints.count - 1].comments.trailing += comments
    case .name:
      let last = table.danglingNames.count - 1
      table.danglingNames[last] = "\(comments.inline)\(table.danglingNames[last])"
    }
  }

  enum Item {
    case column, key, constraint, name
  }

  var lastItem = Item.column

  private mutating func readOptions() throws {
    while !rest.isEmpty {
      table.optionComments += comments()
      guard let option = rest.popFirst() else { return }
      if option.isWord("strict") {
        table.isStrict = true
      } else if option.isWord("without") {
        try require("rowid")
        table.isWithoutRowID = true
      } else {
        throw unreadable
      }
      guard takeSign(",") || rest.isEmpty else { throw unreadable }
    }
  }

  private var startsTableConstraint: Bool {
    guard !table.columns.isEmpty, let first = rest.first, first.kind == .word else { return false }
    switch first.value.lowercasedASCII {
    case "constraint", "check", "unique", "primary", "foreign": return true
    default: return false
    }
  }

  // MARK: Columns

  private mutating func readColumn(_ above: [SQLComment]) throws {
    var column = ExistingTable.Column(name: try name())
    column.comments.above = above
    let typeStart = rest.startIndex
    let typeComments = comments()
    while let token = rest.first, token.isName, !startsColumnClause { rest = rest.dropFirst() }
    if rest.startIndex > typeStart, rest.first?.isSign("(") == true { _ = try parenthesised() }
    column.type = sql.text(sql.tokens[typeStart..<rest.startIndex])
    if rest.startIndex > typeStart { column.typeComments = typeComments }
    if rest.startIndex == typeStart + 1 { column.type = sql.tokens[typeStart].value }
    var clauseName: String?
    while let token = rest.first, !token.isSign(","), !token.isSign(")") {
      guard startsColumnClause else { throw unreadable }
      let comments = comments()
      let start = rest.startIndex
      let kind = try readClause(of: column.name, named: &clauseName)
      column.clauses.append(
        ExistingTable.Clause(kind: kind, text: textSince(start), comments: comments))
    }
    column.form = sql.rememberedForm(in: typeStart - 1..<rest.startIndex)
    table.columns.append(column)
    lastItem = .column
  }

  private var startsColumnClause: Bool {
    guard let token = rest.first, token.kind == .word else { return false }
    switch token.value.lowercasedASCII {
    case "constraint", "primary", "not", "null", "unique", "check", "default", "collate",
      "references", "as", "deferrable":
      return true
    case "generated":
      // `generated` may also be a part of the type's name.
      let next = rest.dropFirst()
      return next.first?.isWord("always") == true && next.dropFirst().first?.isWord("as") == true
    default:
      return false
    }
  }

  // MARK: Clauses of a column

  /// Reads one clause of a column. A clause `CONSTRAINT name` names all clauses that follow it.
  private mutating func readClause(
    of column: String, named clauseName: inout String?
  ) throws -> ExistingTable.Clause.Kind {
    let quoted = Identifier(column).quoted
    let prefix = clauseName.map { "CONSTRAINT \(Identifier($0).quoted) " } ?? ""
    let start = rest.startIndex
    /// Adds the clause to the table's constraints.
    func note(_ kind: ExistingTable.Constraint.Kind, _ text: String) -> ExistingTable.Clause.Kind {
      table.constraints.append(
        ExistingTable.Constraint(
          name: clauseName, kind: kind, text: prefix + text, isAtColumn: true))
      return .constraint(table.constraints.count - 1)
    }
    if take("constraint") {
      let name = try name()
      clauseName = name
      return .name(name)
    }
    if take("primary") {
      try require("key")
      guard table.key.terms.isEmpty else { throw unreadable }
      let isDescending = take("desc")
      if !isDescending { _ = take("asc") }
      table.key.terms = [ExistingTable.KeyTerm(column: column, isDescending: isDescending)]
      table.key.conflict = try conflict()
      table.key.isAutoincrement = take("autoincrement")
      table.key.name = clauseName
      return .key
    }
    if rest.first?.isWord("deferrable") == true
      || rest.first?.isWord("not") == true && rest.dropFirst().first?.isWord("deferrable") == true
    {
      return try readDeferral()
    }
    if take("not") {
      try require("null")
      _ = try conflict()
      return .notNull
    }
    if take("null") {
      _ = try conflict()
      return .null
    }
    if take("unique") {
      let conflict = try conflict()
      return note(
        .unique([ExistingTable.KeyTerm(column: column)]), "UNIQUE (\(quoted))\(conflict)")
    }
    if take("check") {
      let condition = sql.text(try parenthesised())
      return note(.check(condition), textSince(start))
    }
    if take("default") { return .defaultValue(try defaultText()) }
    if take("collate") { return .collation(try name()) }
    if take("references") {
      var key = try references(of: [column])
      if let isDeferred = try deferral() { key.isDeferred = isDeferred }
      return note(.foreignKey(key), "FOREIGN KEY (\(quoted)) \(textSince(start))")
    }
    if take("generated") { try require("always") }
    try require("as")
    let expression = sql.text(try parenthesised())
    let isStored = take("stored")
    if !isStored { _ = take("virtual") }
    return .generated(ExistingTable.Generated(expression: expression, isStored: isStored))
  }

  /// Reads a `DEFERRABLE` clause. It belongs to the last foreign key before it, even if that key
  /// belongs to another column.
  private mutating func readDeferral() throws -> ExistingTable.Clause.Kind {
    let start = rest.startIndex
    guard let isDeferred = try deferral(),
      let last = table.constraints.lastIndex(where: \.kind.isForeignKey),
      case .foreignKey(var key) = table.constraints[last].kind
    else { throw unreadable }
    key.isDeferred = isDeferred
    table.constraints[last].kind = .foreignKey(key)
    table.constraints[last].text += " " + textSince(start)
    return .constraint(last)
  }

  private mutating func defaultText() throws -> String {
    let start = rest.startIndex
    if rest.first?.isSign("(") == true {
      _ = try parenthesised()
    } else {
      if rest.first?.isSign("+") == true || rest.first?.isSign("-") == true {
        rest = rest.dropFirst()
      }
      guard let value = rest.popFirst(), value.kind != .sign else { throw unreadable }
    }
    return textSince(start)
  }

  /// Reads an `ON CONFLICT` clause. Returns an empty text if the next token begins another clause.
  mutating func conflict() throws -> String {
    guard take("on") else { return "" }
    try require("conflict")
    for action in ["ROLLBACK", "ABORT", "FAIL", "IGNORE", "REPLACE"]
    where take(action.lowercasedASCII) {
      return " ON CONFLICT \(action)"
    }
    throw unreadable
  }

  // MARK: Tokens

  /// Returns the comments before the next token.
  func comments() -> [SQLComment] { sql.comments(before: rest.startIndex) }

  func textSince(_ start: Int) -> String { sql.text(sql.tokens[start..<rest.startIndex]) }

  mutating func name() throws -> String {
    guard let token = rest.popFirst(), token.isName else { throw unreadable }
    return token.value
  }

  mutating func take(_ word: String) -> Bool {
    guard rest.first?.isWord(word) == true else { return false }
    rest = rest.dropFirst()
    return true
  }

  mutating func takeSign(_ sign: String) -> Bool {
    guard rest.first?.isSign(sign) == true else { return false }
    rest = rest.dropFirst()
    return true
  }

  mutating func require(_ word: String) throws {
    guard take(word) else { throw unreadable }
  }

  /// Reads tokens in parentheses, and returns them without the parentheses.
  mutating func parenthesised() throws -> ArraySlice<SQLTokens.Token> {
    guard takeSign("(") else { throw unreadable }
    let start = rest.startIndex
    var depth = 1
    while let token = rest.first {
      if token.isSign("(") { depth += 1 }
      if token.isSign(")") { depth -= 1 }
      rest = rest.dropFirst()
      if depth == 0 { return sql.tokens[start..<rest.startIndex - 1] }
    }
    throw unreadable
  }

  var unreadable: Unreadable { Unreadable(sql: table.sql) }
}
