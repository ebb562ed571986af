import SQLCore

/// A search pattern as a tree, which can be written in the syntax of FTS5.
indirect enum SearchNode: Sendable {
  enum Joining: Sendable { case all, any }

  /// The choice of the words in a pattern that also find longer words, as `conc` finds
  /// `concurrency`. The choice is no word, only the last word, or each word.
  enum OpenEnds: Sendable { case none, last, each }

  case words(String, Joining, OpenEnds)
  case phrase(String)
  case near([String], Int)
  /// Searches some columns only. A column is given as its offset in `ModelLayout.columns`, or as
  /// nil if its key path names no column.
  case columns([Int?], SearchNode)
  case combined(String, [SearchNode])
  case raw(String)

  /// The greatest depth of a pattern. The parser of FTS5 has a stack of 100 entries, and each level
  /// of the pattern takes three of them.
  private static let maximumDepth = 24
  /// A pattern that finds nothing.
  private static let nothing = "\"\""

  /// Returns the pattern in the syntax of FTS5, for an index. Throws `QueryError` if the index
  /// cannot search for such a pattern.
  func text(for index: SearchIndex, depth: Int = 0) throws -> String {
    guard depth < Self.maximumDepth else {
      throw QueryError("a search pattern is nested more than \(Self.maximumDepth) levels deep")
    }
    switch self {
    case .words(let text, let joining, let openEnds):
      let words = index.words(in: text)
      guard !words.isEmpty else { return Self.nothing }
      if openEnds != .none, index.tokenizer.mayStem {
        return Self.text(ofStems: words, joining, openEnds, in: index.tokenizer)
      }
      return words.enumerated().map { position, word in
        let isOpen = openEnds == .each || openEnds == .last && position + 1 == words.count
        return Self.quoted(word) + (isOpen ? " *" : "")
      }.joined(separator: joining == .any ? " OR " : " ")
    case .phrase(let text):
      try index.requireDetail(.full, for: "a phrase")
      return Self.quoted(text)
    case .near(let texts, let distance):
      try index.requireDetail(.full, for: "`near`")
      guard distance >= 0 else { throw QueryError("near(within: \(distance)): it is negative") }
      guard !texts.isEmpty else { return Self.nothing }
      return "NEAR(\(texts.map(Self.quoted).joined(separator: " ")), \(min(distance, 1_000_000)))"
    case .columns(let columns, let node):
      try index.requireDetail(.column, for: "a single column")
      let names = try columns.map { column in
        guard let column, let position = index.position(ofColumn: column),
          !index.columns[position].isUnindexed
        else { throw QueryError("\(index.name): a pattern names a column that is not indexed") }
        return Identifier(index.columns[position].name).quoted
      }
      guard !names.isEmpty else { return Self.nothing }
      return "{\(names.joined(separator: " "))} : (\(try node.text(for: index, depth: depth + 1)))"
    case .combined(let operation, let nodes):
      return try flattened(operation, nodes).map { node in
        "(\(try node.text(for: index, depth: depth + 1)))"
      }.joined(separator: " \(operation) ")
    case .raw(let text):
      guard !text.utf8.contains(0) else {
        throw QueryError("a search pattern contains U+0000")
      }
      return text
    }
  }

  /// Returns the pattern for words, in an index that may have only the stems of words.
  ///
  /// A text such as `&` may have no token. FTS5 ignores such a text in a list of texts that only
  /// spaces separate, but not as an operand of AND. An unfinished word becomes several alternatives
  /// in parentheses. The list cannot contain parentheses, so AND must join the alternatives to the
  /// other words. Each text that may have no token would then be an operand of AND. Instead, it is
  /// repeated in every alternative of the last unfinished word:
  /// `"rock" AND ("&" "rol" * OR "&" "roling" …)`.
  private static func text(
    ofStems words: [String], _ joining: Joining, _ openEnds: OpenEnds, in tokenizer: SearchTokenizer
  ) -> String {
    var (plain, uncertain, open): ([String], [String], [[String]]) = ([], [], [])
    for (position, word) in words.enumerated() {
      let isOpen = openEnds == .each || openEnds == .last && position + 1 == words.count
      let hasToken = word.unicodeScalars.contains {
        $0.properties.isAlphabetic || $0.properties.numericType != nil
      }
      if isOpen, hasToken {
        open.append(beginnings(word))
      } else if hasToken, tokenizer.kind != .custom {
        plain.append(quoted(word) + (isOpen ? " *" : ""))
      } else {
        uncertain.append(quoted(word) + (isOpen ? " *" : ""))
      }
    }
    if joining == .any {
      return (plain + uncertain + open.joined()).joined(separator: " OR ")
    }
    guard let last = open.popLast() else { return (plain + uncertain).joined(separator: " ") }
    open.append(last.map { (uncertain + [$0]).joined(separator: " ") })
    let operands = open.map { "(\($0.joined(separator: " OR ")))" }
    return ((plain.isEmpty ? [] : [plain.joined(separator: " ")]) + operands)
      .joined(separator: " AND ")
  }

  /// Returns the operands of a chain of the same operation as one list. For example,
  /// `(a OR b) OR c` has the operands `a`, `b` and `c`. A list is also correct for NOT, because
  /// FTS5 reads `a NOT b NOT c` as `(a NOT b) NOT c`.
  private func flattened(_ operation: String, _ nodes: [SearchNode]) -> [SearchNode] {
    var operands: [SearchNode] = []
    // A long chain is nested on its left side. So a loop can collect the operands from the right,
    // without recursion.
    var rest = nodes
    while let first = rest.first {
      operands += rest.dropFirst().reversed()
      guard case .combined(operation, let inner) = first else {
        operands.append(first)
        break
      }
      rest = inner
    }
    return operands.reversed()
  }

  /// Returns a text as a quoted string of FTS5. U+0000 becomes a space, because it would end the
  /// string.
  private static func quoted(_ text: String) -> String {
    let scalars = text.unicodeScalars.map { $0.value == 0 ? " " : $0 }
    return Identifier(String(String.UnicodeScalarView(scalars))).quoted
  }
}

extension SearchNode {
  /// Returns patterns for words that begin with a text, in an index that may have only the stems of
  /// words.
  ///
  /// Porter's rules cut endings off, so the index has "run" for "running". But the rules do not
  /// change the text "runnin", and "run" does not begin with "runnin". The last letters of the text
  /// may be the beginning of an ending. For each such ending, the search therefore also looks for
  /// the word that consists of the text and the rest of the ending. One of these words is
  /// "running", which FTS5 reduces to the stem that the index has. All these words begin with the
  /// text, so no wrong words are found.
  fileprivate static func beginnings(_ text: String) -> [String] {
    let letters = Array(text.lowercasedASCII.utf8)
    // The ending "ing" is always tried. It also follows a letter that it doubles (hopp-ing), or
    // replaces a last "e" (hop-ing, from "hope").
    var words = [text + "ing"]
    for ending in endings {
      for count in 1..<ending.utf8.count
      where letters.suffix(count).elementsEqual(ending.utf8.prefix(count)) {
        words.append(text + String(decoding: ending.utf8.dropFirst(count), as: UTF8.self))
      }
    }
    var patterns = [quoted(text) + " *"]
    // Porter's rules change a text with such a last letter: "key" becomes "kei", which does not
    // find "keyboard". The added ending "-ful" protects the letter, because the rules then cut off
    // only this ending.
    if let last = letters.last, "ydgis".utf8.contains(last) {
      patterns.append(quoted(text + "ful") + " *")
    }
    return patterns + words.map(quoted)
  }

  /// The endings of Porter's rules. Endings that are not listed, and chains of several endings,
  /// give the same stems as one of the listed endings.
  /// - SeeAlso: <https://tartarus.org/martin/PorterStemmer/def.txt>
  private static let endings = [
    "ally", "anceful", "ateful", "ation", "ative", "ator", "bility", "ed", "ely", "ence", "ently",
    "es", "ful", "ing", "ional", "ionful", "ism", "ismful", "itiful", "ity", "iveful", "ize",
    "izeful", "ment", "ness", "ously",
  ]
}

extension SearchIndex {
  fileprivate func requireDetail(_ needed: SearchDetail, for what: String) throws {
    guard detail != .full, needed == .full || detail == .none else { return }
    throw QueryError(
      "\(name): \(what) cannot be searched, because the detail of the index is "
        + "`.\(detail.rawValue)`")
  }

  /// Returns the words of a user's text.
  ///
  /// The tokenizer may split a word further, and FTS5 then looks for the parts as a phrase. An
  /// index without the positions of words cannot search for phrases. For such an index, the text is
  /// split here in the same way as by the tokenizer.
  fileprivate func words(in text: String) -> [String] {
    let words = text.unicodeScalars.split { scalar in
      scalar.value == 0 || scalar.properties.isWhitespace
        || detail != .full && !tokenizer.isInWord(scalar)
    }
    return words.map { String(String.UnicodeScalarView($0)) }
  }
}

extension SearchTokenizer {
  /// Whether the index may have only the stems of words. For a custom tokenizer, the library cannot
  /// know this, so the value is true.
  fileprivate var mayStem: Bool { kind == .custom || words.contains("porter") }

  /// Returns whether a character belongs to a word. The tokenizer must be `unicode61` or `ascii`
  /// without options, by itself or inside `porter`.
  fileprivate func isInWord(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: return true
    case ..<0x80: return false
    // These characters are letters, but were marks in the version of Unicode that FTS5 uses.
    case 0x19B0...0x19C0, 0x19C8...0x19C9, 0x1CF2...0x1CF3: return false
    default: break
    }
    if words.contains("ascii") { return true }
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .decimalNumber, .letterNumber, .otherNumber, .privateUse:
      return true
    default: return Self.isMark(scalar)
    }
  }

  /// Returns whether `unicode61` treats a combining mark as a part of the letter before it.
  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    guard scalar.value >= 0x300, scalar.value < 0x332 else { return false }
    let marks: UInt64 = 0x0003_61F8_0802_9FDF
    return marks & (1 << UInt64(scalar.value - 0x300)) != 0
  }
}
