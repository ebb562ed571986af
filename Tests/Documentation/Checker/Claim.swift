import Foundation

/// A query of an example with the SQL that a comment shows for it.
struct Claim {
  /// The index of the line in the block at which the statement begins.
  let start: Int
  /// The query or the command.
  let expression: String
  /// The SQL, on one line. `…` stands for anything.
  let shown: String

  /// Returns the claims of a block: statements at the left margin that a comment with SQL follows.
  static func claims(of block: Block) -> [Claim] {
    statements(of: block).compactMap { statement in
      guard let shown = sql(statement.comments), let expression = query(in: statement.code) else {
        return nil
      }
      return Claim(start: statement.start, expression: expression, shown: shown)
    }
  }

  /// Returns the constants of a block that need no database: a later claim may use them.
  static func constants(of block: Block) -> [(name: String, code: String)] {
    statements(of: block).compactMap { statement in
      let words = statement.code.split(separator: " ", maxSplits: 3).map(String.init)
      guard words.count == 4, words[0] == "let", words[2] == "=",
        !["try ", "…", "db.", "connection.", "in: db"].contains(where: statement.code.contains)
      else { return nil }
      return (words[1], statement.code)
    }
  }

  private struct Statement {
    var start: Int
    var code = ""
    var comments: [String] = []
  }

  private static func statements(of block: Block) -> [Statement] {
    var statements: [Statement] = []
    var depth = 0
    for (index, line) in block.completeLines.enumerated() {
      let code = Block.code(of: line)
      let comment = line.dropFirst(code.count)
      let isComment = code.allSatisfy { $0 == " " } && !comment.isEmpty
      if depth == 0, !isComment, let first = line.first, !" .})".contains(first) {
        statements.append(Statement(start: index))
      }
      guard !statements.isEmpty else { continue }
      let last = statements.count - 1
      if isComment {
        if depth == 0, line.hasPrefix("//") { statements[last].comments.append(String(comment)) }
        continue
      }
      statements[last].code += code + "\n"
      if !comment.isEmpty, depth + change(code) == 0 {
        statements[last].comments.append(String(comment))
      }
      depth += change(code)
    }
    return statements
  }

  private static func change(_ code: String) -> Int {
    code.reduce(0) { depth, character in
      depth + ("{([".contains(character) ? 1 : "})]".contains(character) ? -1 : 0)
    }
  }

  /// Returns the SQL of comments, or nil if they show none.
  private static func sql(_ comments: [String]) -> String? {
    let lines = comments.map { comment in
      // An explanation may follow after some spaces.
      let text = comment.drop { $0 == "/" || $0 == " " }
      return String(text[..<(text.firstRange(of: "   ")?.lowerBound ?? text.endIndex)])
    }
    let text = lines.joined(separator: " ")
    let words = ["SELECT ", "INSERT ", "UPDATE ", "DELETE ", "WITH ", "… "]
    guard words.contains(where: { text.hasPrefix($0) }) else { return nil }
    return text.split(separator: " ").joined(separator: " ")
  }

  /// Returns the query of a statement: `Post.where { … }` itself, or what `fetch`, `first` or `run`
  /// gets.
  private static func query(in code: String) -> String? {
    var text = code[...]
    if text.hasPrefix("let "), let equals = text.firstRange(of: " = ") {
      text = text[equals.upperBound...]
    }
    for word in ["try ", "await "] where text.hasPrefix(word) { text = text.dropFirst(word.count) }
    for method in [".fetch(", ".first(", ".run("] {
      guard let range = text.firstRange(of: method),
        text[..<range.lowerBound].allSatisfy(\.isLetter),
        let end = text.lastIndex(of: ")")
      else { continue }
      text = text[range.upperBound..<end]
      break
    }
    // A statement with another call at the left margin is no query: a line of a schema, of a builder.
    let name = text.prefix { $0.isLetter }
    let rest = text.dropFirst(name.count)
    let isQuery: Bool
    if name.first?.isUppercase == true {
      isQuery = rest.hasPrefix(".") || ["Query", "Values"].contains(name)
    } else {
      isQuery =
        !["db", "tx", "connection", "snapshot"].contains(name)
        && [".where", ".order", ".select", ".selectAlso", ".update", ".delete", ".limit"]
          .contains(where: rest.hasPrefix)
    }
    guard isQuery else { return nil }
    // A query with children is several statements.
    return text.contains(".including(") ? nil : String(text)
  }
}
