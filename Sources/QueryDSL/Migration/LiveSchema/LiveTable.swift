import SQLCore

/// A table as its definition in the database says.
struct LiveTable {
  struct Column {
    var name: String
    var type = ""
    /// The form that a comment in the definition names.
    var form: StoredForm?
    /// Where the type ends in the text of the definition, in bytes of UTF-8.
    var typeEnd: Int?
    var isNotNull = false
    /// `NOT NULL` with what it may have behind it.
    var notNullText: String?
    var defaultText: String?
    var collation: String?
    var generated: Generated?
  }

  struct Generated {
    var expression: String
    var isStored: Bool
  }

  /// A constraint of the table, or of one column, which is the same.
  struct Constraint {
    enum Kind {
      case unique([String])
      case check(String)
      case foreignKey(ForeignKey)
    }

    var name: String?
    var kind: Kind
    /// As a table writes it, with all that it has behind it.
    var text: String
  }

  struct ForeignKey {
    var columns: [String]
    var target: String
    /// Empty where the target's primary key is meant.
    var targetColumns: [String]
    var onDelete = "NO ACTION"
    var onUpdate = "NO ACTION"
    var isDeferred = false
  }

  struct Key {
    var columns: [String] = []
    /// What stands between the parentheses, and behind them.
    var terms = ""
    var conflict = ""
    var isAutoincrement = false
    /// `INTEGER PRIMARY KEY DESC` is no rowid.
    var isDescending = false
  }

  var name: String
  let sql: String
  var columns: [Column] = []
  var key = Key()
  var constraints: [Constraint] = []
  var isStrict = false
  var isWithoutRowID = false

  func column(_ name: String) -> Column? {
    let folded = name.lowercasedASCII
    return columns.first { $0.name.lowercasedASCII == folded }
  }

  func isKey(_ column: String) -> Bool {
    let folded = column.lowercasedASCII
    return key.columns.contains { $0.lowercasedASCII == folded }
  }
}

extension LiveTable.Constraint.Kind {
  /// Whether it names a column; folded names are given.
  func mentions(_ column: String) -> Bool {
    switch self {
    case .unique(let columns): columns.contains { $0.lowercasedASCII == column }
    case .check(let text): text.mentions(column)
    case .foreignKey(let key): key.columns.contains { $0.lowercasedASCII == column }
    }
  }
}

extension String {
  /// Whether SQL names a column, folded; a function of that name does not count, and neither does a
  /// table before a point.
  func mentions(_ name: String, orBeforePoint: Bool = false) -> Bool {
    let tokens = SQLTokens(self).tokens
    return tokens.indices.contains { index in
      let token = tokens[index]
      guard token.kind == .word || token.kind == .quotedName,
        token.value.lowercasedASCII == name
      else { return false }
      guard index + 1 < tokens.count else { return true }
      if tokens[index + 1].isSign(".") { return orBeforePoint }
      return token.kind == .quotedName || !tokens[index + 1].isSign("(")
    }
  }

  /// The SQL with a name in the place of another, wherever it is no function.
  func renaming(_ name: String, to newName: String) -> String {
    replacing(name, bySQL: Identifier(newName).quoted)
  }

  /// The SQL with an expression in the place of a name, wherever that is no function.
  func replacing(_ name: String, bySQL expression: String) -> String {
    let folded = name.lowercasedASCII
    let sql = SQLTokens(self)
    var renamed = ""
    var end = 0
    for (index, token) in sql.tokens.enumerated() {
      guard token.kind == .word || token.kind == .quotedName,
        token.value.lowercasedASCII == folded,
        index + 1 == sql.tokens.count || !sql.tokens[index + 1].isSign("(")
      else { continue }
      renamed += String(decoding: sql.bytes[end..<token.range.lowerBound], as: UTF8.self)
      renamed += expression
      end = token.range.upperBound
    }
    return renamed + String(decoding: sql.bytes[end...], as: UTF8.self)
  }
}
