/// The constraint that a statement violated, its table and its columns.
///
/// - SeeAlso: <https://www.sqlite.org/rescode.html#constraint>
public struct ConstraintFailure: Hashable, Sendable {
  /// The kinds of constraint that SQLite tells apart.
  public enum Kind: Hashable, Sendable {
    /// PRIMARY KEY, or a rowid that is there already.
    case primaryKey
    /// UNIQUE, or a unique index.
    case unique
    /// NOT NULL.
    case notNull
    /// CHECK.
    case check
    /// FOREIGN KEY: a parent that is not there, or children that still refer to the row.
    case foreignKey
    /// A value of another type than the column of a STRICT table has.
    case dataType
    /// RAISE in a trigger, or a veto of a commit hook, function or virtual table.
    case other
  }

  /// What kind of constraint.
  public var kind: Kind
  /// The table; nil where neither SQLite nor the schema tells it.
  public var table: String?
  /// The columns, in the order of the constraint; empty where neither SQLite nor the schema tells them.
  public var columns: [String]
  /// The name of a CHECK, or its text if it has none, or the name of an index over expressions.
  public var name: String?

  /// A failure with its parts.
  public init(kind: Kind, table: String? = nil, columns: [String] = [], name: String? = nil) {
    self.kind = kind
    self.table = table
    self.columns = columns
    self.name = name
  }

  /// Reads the words of SQLite's message, such as `UNIQUE constraint failed: Post.url, Post.day`.
  init?(code: ResultCode, message: String) {
    guard code.primary == .constraint else { return nil }
    // The extended part of the code; the header's macros for it are too complex for Swift to see.
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

  /// A text without the parentheses around the whole.
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
  /// What the constraint asks for, as a sentence: `another row of Post has the same url`.
  public var description: String {
    let list = columns.joined(separator: " and ")
    let place = table.map { " of \($0)" } ?? ""
    switch kind {
    case .primaryKey, .unique:
      let name = kind == .primaryKey ? "primary key" : "value of a unique constraint"
      let index = self.name.map { ", by the unique index \($0)" } ?? ""
      return "another row\(place) has the same \(list.isEmpty ? name : list)\(index)"
    case .notNull:
      return "a row\(place) has no value of \(list.isEmpty ? "a column that needs one" : list)"
    case .check:
      let condition = name.map { " \($0)" } ?? ""
      return "a row\(place) does not fulfil the CHECK\(condition)"
        + (list.isEmpty ? "" : ", which is about \(list)")
    case .foreignKey:
      guard !list.isEmpty else {
        return "a foreign key is violated: a row refers to one that does not exist"
          + (table.map { " (\($0))" } ?? "")
      }
      return "a row\(place) refers by \(list) to a row that does not exist"
    case .dataType:
      return "a row\(place) has a value of another type than the column"
        + (list.isEmpty ? "" : " \(list)")
    case .other: return "a constraint\(place) is violated"
    }
  }
}
