import SQLCore

/// An existing table, as its definition in the database describes it.
///
/// The properties contain everything that the definition has: columns with their clauses, the key,
/// constraints, options and comments. If a definition has anything else, parsing throws an error.
package struct ExistingTable {
  package struct Column {
    package var name: String
    package var type = ""
    /// The stored form of the column's values, if a comment names it, such as `/* unixSeconds */`.
    package var form: StoredForm?
    /// The comments before the column's type.
    package var typeComments: [SQLComment] = []
    /// The clauses after the column's type, such as NOT NULL.
    package var clauses: [Clause] = []
    package var comments = ItemComments()
  }

  /// One clause of a column, with its SQL.
  package struct Clause {
    package enum Kind {
      /// `CONSTRAINT name`, which names the clauses that follow.
      case name(String)
      case key
      case notNull
      case null
      case defaultValue(String)
      case collation(String)
      case generated(Generated)
      /// UNIQUE, CHECK, REFERENCES or DEFERRABLE, with the constraint's offset in `constraints`.
      case constraint(Int)
    }

    package var kind: Kind
    package var text: String
    /// The comments before the clause.
    package var comments: [SQLComment] = []
  }

  /// The comments around a column or a constraint.
  package struct ItemComments {
    package var above: [SQLComment] = []
    package var trailing: [SQLComment] = []

    package init() {}
  }

  package struct Generated {
    package var expression: String
    package var isStored: Bool
  }

  /// A constraint of the table or of one column. SQLite treats both in the same way.
  package struct Constraint {
    package enum Kind {
      case unique([KeyTerm])
      case check(String)
      case foreignKey(ForeignKey)
    }

    package var name: String?
    package var kind: Kind
    /// The SQL in the form of a table constraint, even if a column has the constraint:
    /// `UNIQUE ("a")`.
    package var text: String
    /// Whether the constraint is written as a clause of a column.
    package var isAtColumn = false
    package var comments = ItemComments()
  }

  package struct ForeignKey {
    package var columns: [String]
    package var target: String
    /// The referenced columns; empty if the key refers to the target's primary key.
    package var targetColumns: [String]
    package var onDelete = "NO ACTION"
    package var onUpdate = "NO ACTION"
    package var isDeferred = false
    /// `MATCH name`, which SQLite parses but does not enforce.
    package var match: String?
  }

  /// A column of a primary key or a UNIQUE constraint.
  package struct KeyTerm {
    package var column: String
    package var collation: String?
    var isDescending = false

    package init(column: String, isDescending: Bool = false) {
      self.column = column
      self.isDescending = isDescending
    }
  }

  package struct Key {
    package var name: String?
    package var terms: [KeyTerm] = []
    /// ` ON CONFLICT …`, or an empty string.
    package var conflict = ""
    package var isAutoincrement = false
    /// The SQL of the key if a table constraint declares it; nil if a clause of a column does.
    package var text: String?
    package var comments = ItemComments()

    package var columns: [String] { terms.map(\.column) }
  }

  package var name: String
  package let sql: String
  package var columns: [Column] = []
  package var key = Key()
  package var constraints: [Constraint] = []
  /// The SQL of each `CONSTRAINT name` that names nothing, because no constraint follows it.
  package var danglingNames: [String] = []
  /// The comments between the table's name and the parenthesis.
  package var comments: [SQLComment] = []
  /// The comments beside table options such as STRICT.
  package var optionComments: [SQLComment] = []
  package var isStrict = false
  package var isWithoutRowID = false

  package func column(_ name: String) -> Column? {
    let folded = name.lowercasedASCII
    return columns.first { $0.name.lowercasedASCII == folded }
  }

  package func isKey(_ column: String) -> Bool {
    let folded = column.lowercasedASCII
    return key.terms.contains { $0.column.lowercasedASCII == folded }
  }

  package var foreignKeys: [ForeignKey] {
    constraints.compactMap { constraint in
      if case .foreignKey(let key) = constraint.kind { key } else { nil }
    }
  }

  /// Whether the key is an alias of the rowid.
  /// - SeeAlso: <https://www.sqlite.org/lang_createtable.html#rowids_and_the_integer_primary_key>
  package var hasRowIDKey: Bool {
    guard !isWithoutRowID, key.terms.count == 1, let term = key.terms.first,
      column(term.column)?.type.lowercasedASCII == "integer"
    else { return false }
    // For historical reasons, `INTEGER PRIMARY KEY DESC` is not an alias of the rowid, but `PRIMARY
    // KEY (id DESC)` is.
    return key.text != nil || !term.isDescending
  }
}

// MARK: Clauses of a column. If several are of one kind, SQLite uses the last

extension ExistingTable.Column {
  package var isNotNull: Bool {
    clauses.contains { if case .notNull = $0.kind { true } else { false } }
  }

  package var defaultText: String? {
    clauses.lazy.compactMap { if case .defaultValue(let text) = $0.kind { text } else { nil } }
      .last
  }

  package var collation: String? {
    clauses.lazy.compactMap { if case .collation(let name) = $0.kind { name } else { nil } }.last
  }

  package var generated: ExistingTable.Generated? {
    get {
      clauses.lazy.compactMap { if case .generated(let value) = $0.kind { value } else { nil } }
        .last
    }
    set {
      guard let newValue else { return }
      for index in clauses.indices {
        if case .generated = clauses[index].kind { clauses[index].kind = .generated(newValue) }
      }
    }
  }
}

extension ExistingTable.Constraint.Kind {
  /// Returns whether the constraint names a column. The argument must be in lower case.
  package func mentions(_ column: String) -> Bool {
    switch self {
    case .unique(let terms): terms.contains { $0.column.lowercasedASCII == column }
    case .check(let text): text.mentions(column)
    case .foreignKey(let key): key.columns.contains { $0.lowercasedASCII == column }
    }
  }
}

extension String {
  /// Returns whether the SQL contains a name, which must be given in lower case. The name of a
  /// function does not count. A name before a dot, such as `a` in `a.b`, counts only if
  /// `orBeforePoint` is true.
  package func mentions(_ name: String, orBeforePoint: Bool = false) -> Bool {
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

  /// Returns the SQL with one name replaced by another, except where it is the name of a function.
  func renaming(_ name: String, to newName: String) -> String {
    replacing(name, bySQL: Identifier(newName).quoted)
  }

  /// Returns the SQL with a name replaced by an expression, except where it is the name of a
  /// function.
  func replacing(_ name: String, bySQL expression: String) -> String {
    replacing([name.lowercasedASCII: expression])
  }

  /// Returns the SQL with several names replaced by expressions. All names are replaced at the same
  /// time, so a name in a new expression is not replaced again. The names of functions are not
  /// replaced.
  ///
  /// - Parameters:
  ///   - expressions: the expressions, by the names that they replace, in lower case.
  ///   - onlyQuoted: whether to replace only names in quotation marks. Other names may be keywords.
  package func replacing(_ expressions: [String: String], onlyQuoted: Bool = false) -> String {
    guard !expressions.isEmpty else { return self }
    let sql = SQLTokens(self)
    var renamed = ""
    var end = 0
    for (index, token) in sql.tokens.enumerated() {
      guard token.kind == .word && !onlyQuoted || token.kind == .quotedName,
        let expression = expressions[token.value.lowercasedASCII],
        index + 1 == sql.tokens.count || !sql.tokens[index + 1].isSign("(")
      else { continue }
      renamed += String(decoding: sql.bytes[end..<token.range.lowerBound], as: UTF8.self)
      renamed += expression
      end = token.range.upperBound
    }
    return renamed + String(decoding: sql.bytes[end...], as: UTF8.self)
  }

  /// Returns the SQL without these table names before columns: `t.a` becomes `a`. Give the table
  /// names in lower case.
  package func unqualifying(_ tables: Set<String>) -> String {
    let sql = SQLTokens(self)
    let tokens = sql.tokens
    var result = ""
    var end = 0
    for index in tokens.indices.dropLast(2)
    where tokens[index + 1].isSign(".") && tokens[index].isName
      && tables.contains(tokens[index].value.lowercasedASCII)
    {
      result += String(decoding: sql.bytes[end..<tokens[index].range.lowerBound], as: UTF8.self)
      end = tokens[index + 2].range.lowerBound
    }
    return end == 0 ? self : result + String(decoding: sql.bytes[end...], as: UTF8.self)
  }
}
