import SQLCore

/// A table as its definition in the database says.
///
/// Nothing of the definition is left out: each part of its text is a column with its clauses, the
/// key, a constraint, an option or a comment. A definition with anything else is not read at all.
struct LiveTable {
  struct Column {
    var name: String
    var type = ""
    /// The form that a comment in the definition names.
    var form: StoredForm?
    /// Where the type ends in the text of the definition, in bytes of UTF-8.
    var typeEnd: Int?
    /// The comments before the type.
    var typeComments: [SQLComment] = []
    /// All that follows the type, in its order.
    var clauses: [Clause] = []
    var comments = ItemComments()
  }

  /// One clause of a column, as it is written.
  struct Clause {
    enum Kind {
      /// `CONSTRAINT name`, which names the clauses after it.
      case name(String)
      case key
      case notNull
      case null
      case defaultValue(String)
      case collation(String)
      case generated(Generated)
      /// One of the table's constraints, by its index.
      case constraint(Int)
    }

    var kind: Kind
    var text: String
    /// The comments before it.
    var comments: [SQLComment] = []
  }

  /// The comments around a column or a constraint.
  struct ItemComments {
    var above: [SQLComment] = []
    var trailing: [SQLComment] = []
  }

  struct Generated {
    var expression: String
    var isStored: Bool
  }

  /// A constraint of the table, or of one column, which is the same.
  struct Constraint {
    enum Kind {
      case unique([KeyTerm])
      case check(String)
      case foreignKey(ForeignKey)
    }

    var name: String?
    var kind: Kind
    /// As a table writes it, with all that it has behind it.
    var text: String
    /// Whether it stands at a column, as one of its clauses.
    var isAtColumn = false
    var comments = ItemComments()
  }

  struct ForeignKey {
    var columns: [String]
    var target: String
    /// Empty where the target's primary key is meant.
    var targetColumns: [String]
    var onDelete = "NO ACTION"
    var onUpdate = "NO ACTION"
    var isDeferred = false
    /// `MATCH name`, which SQLite reads and ignores.
    var match: String?
  }

  /// A column of a key or of UNIQUE.
  struct KeyTerm {
    var column: String
    var collation: String?
    var isDescending = false
  }

  struct Key {
    var name: String?
    var terms: [KeyTerm] = []
    /// ` ON CONFLICT …`, or nothing.
    var conflict = ""
    var isAutoincrement = false
    /// The key as a constraint of the table, as it is written; nil where it stands at a column.
    var text: String?
    var comments = ItemComments()

    var columns: [String] { terms.map(\.column) }
  }

  var name: String
  let sql: String
  var columns: [Column] = []
  var key = Key()
  var constraints: [Constraint] = []
  /// `CONSTRAINT name` at the end of the constraints, which names nothing.
  var danglingNames: [String] = []
  /// The comments between the name and the parenthesis, and those of the options at the end.
  var comments: [SQLComment] = []
  var optionComments: [SQLComment] = []
  var isStrict = false
  var isWithoutRowID = false

  func column(_ name: String) -> Column? {
    let folded = name.lowercasedASCII
    return columns.first { $0.name.lowercasedASCII == folded }
  }

  func isKey(_ column: String) -> Bool {
    let folded = column.lowercasedASCII
    return key.terms.contains { $0.column.lowercasedASCII == folded }
  }

  /// Whether the key is another name of the rowid.
  /// - SeeAlso: <https://www.sqlite.org/lang_createtable.html#rowids_and_the_integer_primary_key>
  var hasRowIDKey: Bool {
    guard !isWithoutRowID, key.terms.count == 1, let term = key.terms.first,
      column(term.column)?.type.lowercasedASCII == "integer"
    else { return false }
    // `INTEGER PRIMARY KEY DESC` is none, for historical reasons; `PRIMARY KEY (id DESC)` is.
    return key.text != nil || !term.isDescending
  }
}

// MARK: What a column's clauses say; of several of one kind SQLite takes the last

extension LiveTable.Column {
  var isNotNull: Bool {
    clauses.contains { if case .notNull = $0.kind { true } else { false } }
  }

  var defaultText: String? {
    clauses.lazy.compactMap { if case .defaultValue(let text) = $0.kind { text } else { nil } }
      .last
  }

  var collation: String? {
    clauses.lazy.compactMap { if case .collation(let name) = $0.kind { name } else { nil } }.last
  }

  var generated: LiveTable.Generated? {
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

extension LiveTable.Constraint.Kind {
  /// Whether it names a column; folded names are given.
  func mentions(_ column: String) -> Bool {
    switch self {
    case .unique(let terms): terms.contains { $0.column.lowercasedASCII == column }
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

  /// The SQL without a table's name and the point before a column: `t.a` becomes `a`.
  func unqualifying(_ tables: Set<String>) -> String {
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
