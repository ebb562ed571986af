/// The tokens of a piece of SQL, split as SQLite splits it.
///
/// The library uses this type to read the text of `CREATE` statements. SQLite's PRAGMAs do not
/// return everything that a schema declares: checks, collations, the names of constraints and the
/// expressions of generated columns are only in this text.
package struct SQLTokens {
  package struct Token {
    package enum Kind {
      case word, quotedName, string, number, blob, parameter, sign
    }

    package let kind: Kind
    /// The range of the token in the text, in bytes of UTF-8.
    package let range: Range<Int>
    /// The name without quotation marks if the token is a name, and the content if it is a string
    /// literal. For all other tokens, the text of the token.
    package let value: String

    /// Whether the token can be a name. SQLite accepts a string literal where a name is required.
    package var isName: Bool { kind == .word || kind == .quotedName || kind == .string }

    package func isWord(_ word: String) -> Bool { kind == .word && value.lowercasedASCII == word }
    package func isSign(_ sign: String) -> Bool { kind == .sign && value == sign }

    /// The form of the token that is used in comparisons. Tokens with the same meaning have the
    /// same form. Names, keywords and numbers are in lower case. If an operator has two spellings,
    /// only one of them is used: `!=` becomes `<>`.
    package var normal: String {
      switch kind {
      case .word, .quotedName: value.lowercasedASCII
      case .string: "'" + value
      case .number, .blob: value.lowercasedASCII
      case .parameter: value
      case .sign:
        switch value {
        case "==": "="
        case "!=": "<>"
        default: value
        }
      }
    }
  }

  package private(set) var tokens: [Token] = []
  package let bytes: [UInt8]

  package init(_ text: String) {
    bytes = Array(text.utf8)
    var position = 0
    while let token = next(&position) { tokens.append(token) }
  }

  /// Returns the text of consecutive tokens.
  package func text(_ tokens: ArraySlice<Token>) -> String {
    guard let first = tokens.first, let last = tokens.last else { return "" }
    return text(first.range.lowerBound..<last.range.upperBound)
  }

  private func text(_ range: Range<Int>) -> String {
    String(decoding: bytes[range], as: UTF8.self)
  }

  private func byte(_ position: Int) -> UInt8 {
    position < bytes.count ? bytes[position] : 0
  }

  private func skip(_ position: inout Int, while condition: (UInt8) -> Bool) {
    while position < bytes.count, condition(bytes[position]) { position += 1 }
  }

  /// Returns the token that follows `position`, and moves `position` to the token's end. Returns
  /// nil at the end of the text.
  private func next(_ position: inout Int) -> Token? {
    skipSpace(&position)
    guard position < bytes.count else { return nil }
    let start = position
    let first = bytes[position]
    switch first {
    case UInt8(ascii: "\""), UInt8(ascii: "`"):
      return quoted(&position, by: first, .quotedName)
    case UInt8(ascii: "'"):
      return quoted(&position, by: first, .string)
    case UInt8(ascii: "["):
      skip(&position) { $0 != UInt8(ascii: "]") }
      let value = text(start + 1..<position)
      position = min(position + 1, bytes.count)
      return Token(kind: .quotedName, range: start..<position, value: value)
    case UInt8(ascii: "x"), UInt8(ascii: "X"):
      if byte(position + 1) == UInt8(ascii: "'") {
        position += 1
        _ = quoted(&position, by: UInt8(ascii: "'"), .string)
        return token(.blob, start..<position)
      }
      return word(&position)
    case UInt8(ascii: "0")...UInt8(ascii: "9"):
      return number(&position)
    case UInt8(ascii: ".") where byte(position + 1).isDigit:
      return number(&position)
    case UInt8(ascii: "?"), UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "$"),
      UInt8(ascii: "#"):
      position += 1
      skip(&position) { $0.isWordByte }
      return token(.parameter, start..<position)
    case _ where first.isWordByte:
      return word(&position)
    default:
      return sign(&position)
    }
  }

  private func token(_ kind: Token.Kind, _ range: Range<Int>) -> Token {
    Token(kind: kind, range: range, value: text(range))
  }

  private func word(_ position: inout Int) -> Token {
    let start = position
    skip(&position) { $0.isWordByte }
    return token(.word, start..<position)
  }

  private func number(_ position: inout Int) -> Token {
    let start = position
    while position < bytes.count {
      let isExponent =
        bytes[position - 1 < start ? start : position - 1] | 0x20 == UInt8(ascii: "e")
      let isSigned =
        isExponent && (bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-"))
        && byte(start + 1) | 0x20 != UInt8(ascii: "x")
      guard bytes[position].isWordByte || bytes[position] == UInt8(ascii: ".") || isSigned else {
        break
      }
      position += 1
    }
    return token(.number, start..<position)
  }

  private func quoted(_ position: inout Int, by mark: UInt8, _ kind: Token.Kind) -> Token {
    let start = position
    var value: [UInt8] = []
    position += 1
    while position < bytes.count {
      if bytes[position] == mark {
        guard byte(position + 1) == mark else { break }
        position += 1
      }
      value.append(bytes[position])
      position += 1
    }
    position = min(position + 1, bytes.count)
    return Token(
      kind: kind, range: start..<position, value: String(decoding: value, as: UTF8.self))
  }

  private static let pairs: Set<String> = ["||", "<<", ">>", "<=", ">=", "<>", "!=", "==", "->"]

  private func sign(_ position: inout Int) -> Token {
    let start = position
    let pair = text(start..<min(start + 2, bytes.count))
    position += Self.pairs.contains(pair) ? 2 : 1
    if pair == "->", byte(position) == UInt8(ascii: ">") { position += 1 }
    return token(.sign, start..<min(position, bytes.count))
  }

  private func skipSpace(_ position: inout Int) {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x09...0x0D:
        position += 1
      // These three bytes are a byte order mark, which SQLite skips like a space.
      case 0xEF where byte(position + 1) == 0xBB && byte(position + 2) == 0xBF:
        position += 3
      default:
        guard skipComment(&position) else { return }
      }
    }
  }

  /// Skips the comment that begins at a position, but not the newline that ends it. Returns false
  /// if no comment begins there.
  package func skipComment(_ position: inout Int) -> Bool {
    switch (byte(position), byte(position + 1)) {
    case (UInt8(ascii: "-"), UInt8(ascii: "-")):
      skip(&position) { $0 != 0x0A }
    case (UInt8(ascii: "/"), UInt8(ascii: "*")):
      position += 2
      while position < bytes.count {
        if bytes[position] == UInt8(ascii: "*"), byte(position + 1) == UInt8(ascii: "/") { break }
        position += 1
      }
      position = min(position + 2, bytes.count)
    default:
      return false
    }
    return true
  }
}

extension UInt8 {
  fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

  /// Whether the byte is a letter, a digit, `_`, `$`, or part of a character outside ASCII.
  fileprivate var isWordByte: Bool {
    isDigit || self >= 0x80 || self == UInt8(ascii: "_") || self == UInt8(ascii: "$")
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
  }
}

extension Sequence<SQLTokens.Token> {
  /// The `normal` text of each token, without outer parentheses. The array is the same for two
  /// pieces of SQL that differ only in white space, comments, case, the spelling of operators, and
  /// outer parentheses.
  package var normal: [String] {
    var words = map(\.normal)
    while words.isInParentheses {
      words.removeFirst()
      words.removeLast()
    }
    return words
  }
}

extension [String] {
  /// Whether the whole text is in one pair of parentheses: the first token opens it, and the last
  /// token closes it.
  fileprivate var isInParentheses: Bool {
    guard first == "(", last == ")" else { return false }
    var depth = 0
    for (index, word) in enumerated() {
      if word == "(" { depth += 1 }
      if word == ")" { depth -= 1 }
      if depth == 0 { return index == count - 1 }
    }
    return false
  }
}

extension String {
  /// The `normal` forms of the tokens of this SQL text, by which it is compared with other SQL.
  package var normalSQL: [String] { SQLTokens(self).tokens.normal }
}

extension SQLTokens {
  /// The index of the module's name, if the SQL is a CREATE VIRTUAL TABLE; otherwise nil.
  package var moduleIndex: Int? {
    // The form is CREATE VIRTUAL TABLE name USING module(…). The first word USING is the keyword,
    // because a table of this name must be quoted.
    guard tokens.count > 1, tokens[1].isWord("virtual"),
      let using = tokens.firstIndex(where: { $0.isWord("using") }),
      using + 1 < tokens.count, tokens[using + 1].isName
    else { return nil }
    return using + 1
  }
}

extension String {
  /// The name of the module in lower case, if the text is a CREATE VIRTUAL TABLE; otherwise nil.
  @_spi(Tools)
  public var virtualTableModule: String? {
    let tokens = SQLTokens(self)
    return tokens.moduleIndex.map { tokens.tokens[$0].value.lowercasedASCII }
  }
}
