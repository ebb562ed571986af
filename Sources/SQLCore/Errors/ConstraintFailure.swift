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
  /// The table, where SQLite or the operation tells it.
  public var table: String?
  /// The columns, in the order of the constraint; empty where SQLite does not tell them.
  public var columns: [String]
  /// The name or text of a CHECK, or the name of an index over expressions.
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
      name = String(subject)
    } else if subject.hasPrefix("index '") {
      name = String(subject.dropFirst("index '".count).dropLast())
    } else {
      readColumns(subject)
    }
  }

  private mutating func readColumns(_ list: Substring) {
    for item in list.split(separator: ", ") {
      guard let dot = item.lastIndex(of: ".") else { continue }
      table = String(item[..<dot])
      columns.append(String(item[item.index(after: dot)...]))
    }
  }
}
