import SQLCore
import TestRun
import Testing

@Suite("The library's functions highlight and snippet")
struct HighlightTests {
  /// A database with an index `page` over the columns `a` and `b`.
  private func database(_ tokenizer: String, _ options: String = "") throws -> Database {
    let db = try Database.temporary()
    try db.register(.normalizingTokenizer)
    try db.tokenizer("reversing") { _ in Reversing() }
    try db.tokenizer("synonyms") { context in
      try Synonyms(["ab": "x", "b": "a"], of: context.tokenizer("unicode61"))
    }
    try db.execute("CREATE TABLE content (id INTEGER PRIMARY KEY, a, b)")
    try db.execute(
      """
      CREATE VIRTUAL TABLE page USING fts5(
        a, b, tokenize = \(unsafe: "\"\(tokenizer)\"")\(unsafe: options))
      """)
    return db
  }

  private func add(_ a: String?, _ b: String?, to db: Database) throws {
    try db.execute("INSERT INTO content (a, b) VALUES (\(a), \(b))")
    try db.execute("INSERT INTO page (rowid, a, b) SELECT last_insert_rowid(), \(a), \(b)")
  }

  /// Text without the marks `[` and `]`.
  private func plain(_ text: String) -> String {
    String(text.unicodeScalars.filter { $0 != "[" && $0 != "]" })
  }

  private static let tokenizers = [
    "unicode61", "ascii", "porter", "porter ascii", "trigram", "apus_nfc unicode61",
    "apus_nfc trigram", "reversing", "synonyms",
  ]

  private static let words = [
    "a", "b", "ab", "abc", "running", "runs", "é", "e\u{301}", "한국", "aaaa", "ababab", "👍🏽", "1️⃣",
  ]

  private static let separators = [
    " ", " ", " ", ". ", ": ", ".\n", "\t", "-", "\u{1}", " \u{1} ", "… ",
  ]

  private func text(_ random: inout SeededGenerator) -> String {
    var text = ""
    for _ in 0..<Int.random(in: 0...24, using: &random) {
      text += Self.words.randomElement(using: &random) ?? ""
      text += Self.separators.randomElement(using: &random) ?? ""
    }
    return text
  }

  private func pattern(_ random: inout SeededGenerator) -> String {
    func word() -> String { Self.words.randomElement(using: &random) ?? "" }
    func phrase() -> String {
      let words = (0..<Int.random(in: 1...3, using: &random)).map { _ in word() }
      return "\"\(words.joined(separator: " "))\""
    }
    let terms = (0..<Int.random(in: 1...4, using: &random)).map { _ in
      switch Int.random(in: 0..<6, using: &random) {
      case 0: "\"\(word())\" *"
      case 1: "{a} : (\(phrase()))"
      case 2: "{b} : (\(phrase()))"
      case 3: "NEAR(\"\(word())\" \"\(word())\", 4)"
      case 4: "^ \(phrase())"
      default: phrase()
      }
    }
    return terms.joined(separator: Bool.random(using: &random) ? " OR " : " AND ")
  }

  @Test(
    "they return what SQLite's own functions return, for every tokenizer",
    arguments: tokenizers,
    ["", ", columnsize = 0", ", prefix = '1 2'", ", content = 'content', content_rowid = 'id'"])
  func sameAsSQLite(tokenizer: String, options: String) throws {
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    let db = try database(tokenizer, options)
    for _ in 0..<40 {
      let b = Int.random(in: 0..<6, using: &random) == 0 ? nil : text(&random)
      try add(text(&random), b, to: db)
    }
    let texts = Dictionary(
      uniqueKeysWithValues: try db.rows("SELECT rowid, a, b FROM page").map { row in
        (row[0], [row[1], row[2]])
      })
    var compared = 0
    for _ in 0..<TestSize.count(small: 30, full: 300) {
      let pattern = pattern(&random)
      // Old versions of SQLite show the marks of a whole text in a snippet of one word.
      let size = Int.random(in: 2...12, using: &random)
      let rows = try db.rows(
        """
        SELECT rowid,
          highlight(page, 0, '[', ']'), apus_highlight(page, 0, '[', ']'),
          highlight(page, 1, '[', ']'), apus_highlight(page, 1, '[', ']'),
          snippet(page, 0, '[', ']', '…', \(size)), apus_snippet(page, 0, '[', ']', '…', \(size)),
          snippet(page, 1, '[', ']', '…', \(size)), apus_snippet(page, 1, '[', ']', '…', \(size)),
          snippet(page, -1, '[', ']', '…', \(size)), apus_snippet(page, -1, '[', ']', '…', \(size))
        FROM page(\(pattern))
        """)
      for row in rows {
        let stored = try #require(texts[row[0]])
        // Old versions of SQLite repeat letters that are in two occurrences.
        let isRight = [0, 1].map { column in
          guard case .text(let marked) = row[1 + 2 * column] else { return true }
          return .text(plain(marked)) == stored[column]
        }
        for (index, needs) in [[0], [1], [0], [1], [0, 1]].enumerated()
        where needs.allSatisfy({ isRight[$0] }) {
          compared += 1
          let (own, other) = (row[2 + 2 * index], row[1 + 2 * index])
          #expect(
            own == other,
            "seed \(seed), \(tokenizer)\(options), \(pattern), \(size) tokens of \(stored), call \(index)"
          )
        }
        for column in 0...1 {
          guard case .text(let marked) = row[2 + 2 * column] else { continue }
          #expect(.text(plain(marked)) == stored[column], "seed \(seed), \(tokenizer), \(pattern)")
        }
      }
    }
    #expect(compared > 0, "seed \(seed)")
  }

  @Test(
    "U+0000 is a character like any other, whatever the tokenizer",
    arguments: tokenizers.filter { !$0.hasSuffix("trigram") && $0 != "reversing" })
  func zeros(tokenizer: String) throws {
    // In old versions of SQLite, `trigram` ends at U+0000, and a token that has it, as one of
    // `reversing` would, damages the index.
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    let db = try database(tokenizer)
    var texts: [Int64: String] = [:]
    for index in 0..<40 {
      let text = text(&random)
      try add(text, text.replacing("\u{1}", with: "\0"), to: db)
      texts[Int64(index) + 1] = text
    }
    var zeros = 0
    for _ in 0..<TestSize.count(small: 60, full: 600) {
      let word = Self.words.randomElement(using: &random) ?? ""
      let size = Int.random(in: 2...12, using: &random)
      let rows = try db.rows(
        """
        SELECT highlight(page, 0, '[', ']'), apus_highlight(page, 1, '[', ']'),
          snippet(page, 0, '[', ']', '…', \(size)), apus_snippet(page, 1, '[', ']', '…', \(size))
        FROM page(\("\"\(word)\""))
        """)
      for row in rows {
        for (other, own) in [(row[0], row[1]), (row[2], row[3])] {
          guard case .text(let other) = other else { continue }
          if other.unicodeScalars.contains("\u{1}") { zeros += 1 }
          #expect(
            own == .text(other.replacing("\u{1}", with: "\0")),
            "seed \(seed), \(tokenizer), \(word)")
        }
      }
    }
    #expect(zeros > 0, "seed \(seed)")
  }

  @Test("letters that two occurrences share are shown once")
  func overlaps() throws {
    let db = try database("trigram")
    try add("aaaab x abcabc", "x\0abc", to: db)
    let row = try db.row(
      """
      SELECT apus_highlight(page, 0, '[', ']'), apus_snippet(page, 0, '[', ']', '…', 3),
        apus_highlight(page, 1, '[', ']')
      FROM page('aaa OR aab OR abc')
      """)
    #expect(row?[0] == "[aaaab] x [abc][abc]")
    #expect(row?[1] == "[aaaab]…")
    // The tokenizer ends at U+0000 in old versions of SQLite.
    #expect(row?[2] == "x\0abc" || row?[2] == "x\0[abc]")
  }

  @Test("a snippet of one word has one word")
  func oneWord() throws {
    let db = try database("unicode61")
    try add("a b c a", "b a c", to: db)
    let row = try db.row(
      """
      SELECT apus_snippet(page, 0, '[', ']', '…', 1), apus_snippet(page, 1, '[', ']', '…', 1)
      FROM page('a')
      """)
    #expect(row?.values == ["[a]…", "…[a]…"])
  }

  @Test("columns that are NULL or do not exist, and rows without a text, give NULL")
  func nothing() throws {
    let db = try database("unicode61")
    try add("a", nil, to: db)
    let row = try db.row(
      """
      SELECT apus_highlight(page, 1, '[', ']'), apus_highlight(page, 2, '[', ']'),
        apus_highlight(page, -1, '[', ']'), apus_snippet(page, 1, '[', ']', '…', 3),
        apus_snippet(page, 7, '[', ']', '…', 3), apus_snippet(page, -1, '[', ']', '…', 0),
        apus_highlight(page, 0, NULL, ']')
      FROM page('a')
      """)
    #expect(row?.values == [.null, .null, .null, .null, .null, "[a]", "a]"])
    try db.execute("CREATE VIRTUAL TABLE bare USING fts5(a, content = '')")
    try db.execute("INSERT INTO bare (rowid, a) VALUES (1, 'a b')")
    let bare = try db.row(
      "SELECT apus_highlight(bare, 0, '[', ']'), apus_snippet(bare, 0, '[', ']', '…', 3) FROM bare('a')"
    )
    #expect(bare?.values == [.null, .null])
    let error = #expect(throws: DatabaseError.self) {
      try db.rows("SELECT apus_highlight(page, 1) FROM page('a')")
    }
    #expect(error?.message == "wrong number of arguments to function apus_highlight()")
    #expect(throws: DatabaseError.self) { try db.rows("SELECT apus_highlight('page', 1, '', '')") }
  }

  @Test("an index that does not agree with its rows, and a tokenizer that is wrong, do no harm")
  func wrong() throws {
    let db = try database("unicode61", ", content = 'content', content_rowid = 'id'")
    try add("one two three four five six", "b", to: db)
    try db.execute("UPDATE content SET a = 'é', b = NULL")
    let columns = """
      apus_highlight(page, 0, '[', ']'), apus_highlight(page, 1, '[', ']'),
      apus_snippet(page, 0, '[', ']', '…', 2), apus_snippet(page, -1, '[', ']', '…', 2)
      """
    for word in ["one", "six", "\"one two\"", "two", "b"] {
      let row = try db.row("SELECT \(unsafe: columns) FROM page(\(word))")
      #expect(row?[1] == .null)
    }
    try db.tokenizer("wild") { _ in Wild() }
    try db.execute("CREATE VIRTUAL TABLE other USING fts5(a, b, tokenize = 'wild')")
    try db.execute("INSERT INTO other VALUES ('é é é', '')")
    let other = columns.replacing("page", with: "other")
    #expect(try db.rows("SELECT \(unsafe: other) FROM other('w')").count == 1)
    // The text is not in its normal form, so the places are looked up.
    try db.execute("CREATE VIRTUAL TABLE normal USING fts5(a, b, tokenize = 'apus_nfc wild')")
    try db.execute("INSERT INTO normal VALUES (\("e\u{301} e\u{301}"), '')")
    let normal = columns.replacing("page", with: "normal")
    #expect(try db.rows("SELECT \(unsafe: normal) FROM normal('w')").count == 1)
  }
}

/// Reports tokens at places that the text does not have, and in no order.
private final class Wild: FTS5Tokenizer {
  func tokenize(
    _ text: Span<UInt8>, for purpose: FTS5Purpose, into tokens: borrowing FTS5Tokens
  ) throws {
    if purpose.contains(.query) { return try tokens.append("w", at: 0..<1) }
    for range in [5..<7, 0..<90, 3..<3, 80..<90, -7..<2, 1..<4] {
      try tokens.append("w", at: range)
    }
  }
}
