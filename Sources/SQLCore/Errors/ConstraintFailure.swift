/// The constraint that a statement has violated: its kind, its table and its columns.
///
/// ```swift
/// do {
///   try db.insert(user)
/// } catch let error as DatabaseError where error.constraint?.kind == .unique {
///   print("taken:", error.constraint?.columns ?? [])
/// }
/// ```
///
/// - SeeAlso: <https://www.sqlite.org/rescode.html#constraint>
public struct ConstraintFailure: Hashable, Sendable {
  /// The kinds of constraint that SQLite distinguishes.
  public enum Kind: Hashable, Sendable {
    /// PRIMARY KEY, or a rowid that exists already.
    case primaryKey
    /// UNIQUE, or a unique index.
    case unique
    /// NOT NULL.
    case notNull
    /// CHECK.
    case check
    /// FOREIGN KEY: the parent row does not exist, or child rows still refer to the row.
    case foreignKey
    /// A value has the wrong type for its column in a STRICT table.
    case dataType
    /// No constraint of the schema was violated. Instead, a trigger called RAISE, or a commit hook,
    /// a function or a virtual table refused the change.
    case other
  }

  /// The kind of the constraint.
  public var kind: Kind
  /// The table; nil if neither SQLite nor the schema names it, or if several tables are possible.
  public var table: String?
  /// The columns, in the order of the constraint; for a CHECK or an index over expressions, in the
  /// order of the table. Empty if neither SQLite nor the schema names them. Also empty if several
  /// constraints are possible; the message of the error then names all of them.
  public var columns: [String]
  /// The name of a CHECK, or the text of a CHECK without a name. For an index over expressions, the
  /// name of the index.
  public var name: String?

  /// Makes a failure from its parts.
  public init(kind: Kind, table: String? = nil, columns: [String] = [], name: String? = nil) {
    self.kind = kind
    self.table = table
    self.columns = columns
    self.name = name
  }

  /// Parses a message from SQLite, such as `UNIQUE constraint failed: Post.url, Post.day`.
  init?(code: ResultCode, message: String) {
    guard code.primary == .constraint else { return nil }
    // These numbers are the extended parts of SQLite's codes. They are written here as numbers,
    // because Swift cannot import the C macros of the codes.
    switch code.rawValue >> 8 {
    case 1: self.init(kind: .check)
    case 3: self.init(kind: .foreignKey)
    case 5: self.init(kind: .notNull)
    case 6, 10: self.init(kind: .primaryKey)
    case 8: self.init(kind: .unique)
    case 12: self.init(kind: .dataType)
    default: self.init(kind: .other)
    }
    let subject: Substring? =
      kind == .dataType
      ? message.split(separator: " column ", maxSplits: 1).dropFirst().first
      : message.split(separator: " constraint failed: ", maxSplits: 1).dropFirst().first
    guard let subject else { return }
    if kind == .check {
      name = Self.withoutParentheses(String(subject))
    } else if subject.hasPrefix("index '") {
      name = String(subject.dropFirst("index '".count).dropLast())
    } else {
      readColumns(subject)
    }
  }

  /// Returns a text without the parentheses that enclose all of it.
  static func withoutParentheses(_ text: String) -> String {
    let tokens = SQLTokens(text)
    guard let first = tokens.tokens.first, first.isSign("(") else { return text }
    var depth = 0
    for (index, token) in tokens.tokens.enumerated() {
      if token.isSign("(") { depth += 1 }
      if token.isSign(")") { depth -= 1 }
      guard depth == 0 else { continue }
      guard index == tokens.tokens.count - 1 else { return text }
      return withoutParentheses(tokens.text(tokens.tokens.dropFirst().dropLast()))
    }
    return text
  }

  private mutating func readColumns(_ list: Substring) {
    for item in list.split(separator: ", ") {
      guard let dot = item.lastIndex(of: ".") else { continue }
      table = String(item[..<dot])
      columns.append(String(item[item.index(after: dot)...]))
    }
  }
}

extension ConstraintFailure: CustomStringConvertible {
  /// The violation as a sentence: `another row of Post has the same url`.
  public var description: String {
    let list = columns.joined(separator: " and ")
    let place = table.map { " of \($0)" } ?? ""
    switch kind {
    case .primaryKey, .unique:
      let name = kind == .primaryKey ? "primary key" : "value of a unique constraint"
      let index = self.name.map { ", by the unique index \($0)" } ?? ""
      return "another row\(place) has the same \(list.isEmpty ? name : list)\(index)"
    case .notNull:
      return "a row\(place) has no value for \(list.isEmpty ? "a column that needs one" : list)"
    case .check:
      let condition = name.map { " \($0)" } ?? ""
      return "a row\(place) violates the CHECK\(condition)"
        + (list.isEmpty ? "" : ", which concerns \(list)")
    case .foreignKey:
      guard !list.isEmpty else {
        return "a foreign key is violated: a row refers to a row that does not exist"
          + (table.map { " (\($0))" } ?? "")
      }
      return "a row\(place) refers through \(list) to a row that does not exist"
    case .dataType:
      return "a row\(place) has a value of the wrong type in "
        + (list.isEmpty ? "a column" : "the column \(list)")
    case .other: return "a constraint\(place) is violated"
    }
  }
}
