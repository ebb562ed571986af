import SQLCore

extension TableParser {
  // MARK: Constraints of the table

  /// Reads constraints up to the next comma, or up to the parenthesis that ends the list. SQLite
  /// accepts several constraints without commas between them. A `CONSTRAINT name` before the first
  /// of these constraints names all of them.
  mutating func readTableConstraints(_ above: [SQLComment]) throws {
    var constraintName: String?
    var comments = above
    while let token = rest.first, !token.isSign(","), !token.isSign(")") {
      let start = rest.startIndex
      let inherited = constraintName
      while take("constraint") { constraintName = try name() }
      guard let first = rest.first, !first.isSign(","), !first.isSign(")") else {
        table.danglingNames.append(comments.inline + textSince(start))
        lastItem = .name
        return
      }
      // If a constraint inherits the `CONSTRAINT name` of an earlier constraint, the name is added
      // to the text of this constraint.
      let isInherited = inherited != nil && rest.startIndex == start
      let prefix =
        isInherited ? "CONSTRAINT \(Identifier(constraintName ?? "").quoted) " : ""
      if take("primary") {
        try require("key")
        try readKey(named: constraintName)
        table.key.text = prefix + textSince(start)
        table.key.comments.above = comments
        lastItem = .key
      } else {
        let kind = try readConstraint()
        var constraint = ExistingTable.Constraint(
          name: constraintName, kind: kind, text: prefix + textSince(start))
        constraint.comments.above = comments
        table.constraints.append(constraint)
        lastItem = .constraint
      }
      comments = self.comments()
    }
  }

  private mutating func readKey(named name: String?) throws {
    guard table.key.terms.isEmpty else { throw unreadable }
    var terms = try parenthesised()
    table.key.isAutoincrement = terms.last?.isWord("autoincrement") ?? false
    if table.key.isAutoincrement { terms = terms.dropLast() }
    table.key.terms = try keyTerms(terms)
    table.key.conflict = try conflict()
    table.key.name = name
  }

  private mutating func readConstraint() throws -> ExistingTable.Constraint.Kind {
    if take("unique") {
      let terms = try keyTerms(try parenthesised())
      _ = try conflict()
      return .unique(terms)
    }
    if take("check") {
      let condition = sql.text(try parenthesised())
      _ = try conflict()
      return .check(condition)
    }
    try require("foreign")
    try require("key")
    let columns = try keyTerms(try parenthesised()).map(\.column)
    try require("references")
    var key = try references(of: columns)
    if let isDeferred = try deferral() { key.isDeferred = isDeferred }
    return .foreignKey(key)
  }

  // MARK: Parts

  mutating func references(of columns: [String]) throws -> ExistingTable.ForeignKey {
    var key = ExistingTable.ForeignKey(columns: columns, target: try name(), targetColumns: [])
    if rest.first?.isSign("(") == true {
      key.targetColumns = try keyTerms(try parenthesised()).map(\.column)
    }
    while true {
      if take("on") {
        if take("delete") {
          key.onDelete = try action()
        } else if take("update") {
          key.onUpdate = try action()
        } else {
          // SQLite parses ON INSERT and ignores it.
          try require("insert")
          _ = try action()
        }
      } else if take("match") {
        key.match = "MATCH \(Identifier(try name()).quoted)"
      } else {
        return key
      }
    }
  }

  private mutating func action() throws -> String {
    for action in ["CASCADE", "RESTRICT"] where take(action.lowercasedASCII) { return action }
    if take("set") {
      for value in ["NULL", "DEFAULT"] where take(value.lowercasedASCII) { return "SET \(value)" }
      throw unreadable
    }
    try require("no")
    try require("action")
    return "NO ACTION"
  }

  /// Reads a `DEFERRABLE` clause. Returns whether it defers the check to the end of the
  /// transaction; nil if there is no clause.
  mutating func deferral() throws -> Bool? {
    let isNot =
      rest.first?.isWord("not") == true && rest.dropFirst().first?.isWord("deferrable") == true
    if isNot { rest = rest.dropFirst() }
    guard take("deferrable") else { return nil }
    guard take("initially") else { return false }
    if take("deferred") { return !isNot }
    try require("immediate")
    return false
  }

  /// Parses the columns of a key with their collations and directions. SQLite allows no expressions
  /// here.
  private func keyTerms(_ tokens: ArraySlice<SQLTokens.Token>) throws -> [ExistingTable.KeyTerm] {
    try tokens.split(separator: ",", omittingEmptySubsequences: false).map { tokens in
      var rest = tokens.filter { !$0.isSign("(") && !$0.isSign(")") }[...]
      guard let column = rest.popFirst(), column.isName else { throw unreadable }
      var term = ExistingTable.KeyTerm(column: column.value)
      if rest.first?.isWord("collate") == true {
        rest = rest.dropFirst()
        guard let name = rest.popFirst(), name.isName else { throw unreadable }
        term.collation = name.value
      }
      if let direction = rest.first, direction.isWord("asc") || direction.isWord("desc") {
        term.isDescending = direction.isWord("desc")
        rest = rest.dropFirst()
      }
      guard rest.isEmpty else { throw unreadable }
      return term
    }
  }
}

extension ExistingTable.Constraint.Kind {
  var isForeignKey: Bool { if case .foreignKey = self { true } else { false } }
}

extension ArraySlice<SQLTokens.Token> {
  fileprivate func split(
    separator: String, omittingEmptySubsequences: Bool
  ) -> [ArraySlice<SQLTokens.Token>] {
    split(omittingEmptySubsequences: omittingEmptySubsequences) { $0.isSign(separator) }
  }
}
