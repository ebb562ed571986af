/// A full-text search in plain Swift, over texts that are made of known words.
struct SearchReference {
  /// A word as it is written, and as the index folds it.
  struct Word {
    let text: String
    let folded: String
  }

  /// Words of several scripts in several spellings.
  static let words: [Word] = [
    ("swift", ["swift", "Swift", "SWIFT"]), ("swiftly", ["swiftly"]), ("sw", ["sw"]),
    ("cafe", ["cafe", "café", "Cafe\u{301}", "CAFÉ"]), ("resume", ["résumé", "RESUME"]),
    ("ec", ["ếc", "ec"]), ("a", ["a", "A"]), ("42", ["42"]), ("4", ["4"]),
    ("ολα", ["ολα", "ΟΛΑ"]),
    ("мир", ["мир", "МИР", "Мир"]), ("мира", ["мира"]), ("日本", ["日本"]), ("日本語", ["日本語"]),
    ("سلام", ["سلام"]), ("שלום", ["שלום"]), ("한국", ["한국"]),
  ].flatMap { folded, texts in texts.map { Word(text: $0, folded: folded) } }

  static let separators = [
    " ", "  ", "\n", ", ", ". ", " - ", "-", "/", " “", "… ", " 🐦 ", "'", "\"",
  ]

  /// A text, with its words as they are folded.
  struct Text: Equatable {
    var text = ""
    var words: [String] = []

    init() {}

    init(wordCount: Int, using random: inout some RandomNumberGenerator) {
      for index in 0..<wordCount {
        if index > 0 { text += separators.randomElement(using: &random) ?? " " }
        guard let word = SearchReference.words.randomElement(using: &random) else { continue }
        text += word.text
        words.append(word.folded)
      }
    }

    func contains(phrase: [String]) -> Bool {
      guard !phrase.isEmpty, words.count >= phrase.count else { return false }
      return (0...words.count - phrase.count).contains { start in
        words[start..<start + phrase.count].elementsEqual(phrase)
      }
    }
  }

  /// The columns of each row by its key.
  var rows: [Int: [Text]] = [:]

  func ids(_ isFound: ([Text]) -> Bool) -> [Int] {
    rows.filter { isFound($0.value) }.map(\.key).sorted()
  }

  /// The rows that have all words; the last word may be only a beginning if `isOpen`.
  func ids(words: [String], isOpen: Bool = false) -> [Int] {
    guard !words.isEmpty else { return [] }
    return ids { columns in
      words.enumerated().allSatisfy { index, word in
        columns.contains { column in
          column.words.contains {
            isOpen && index + 1 == words.count ? $0.hasPrefix(word) : $0 == word
          }
        }
      }
    }
  }

  func ids(phrase: [String]) -> [Int] {
    ids { columns in columns.contains { $0.contains(phrase: phrase) } }
  }
}
