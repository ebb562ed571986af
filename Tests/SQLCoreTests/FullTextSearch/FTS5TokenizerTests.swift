import SQLCore
import TestRun
import Testing

@Suite("FTS5 tokenizers in Swift")
struct FTS5TokenizerTests {
  private let db: Database

  init() throws {
    db = try Database.temporary()
    try db.tokenizer("reversing") { _ in Reversing() }
  }

  private func matches(_ query: String) throws -> [DatabaseValue] {
    try db.rows("SELECT rowid FROM page WHERE page MATCH \(query)").map { $0.values[0] }
  }

  @Test("a custom tokenizer serves every connection, with queries and highlights")
  func own() throws {
    try db.execute("CREATE VIRTUAL TABLE page USING fts5(body, tokenize = 'reversing')")
    try db.execute("INSERT INTO page (body) VALUES ('the swifts are back'), ('no words')")
    #expect(try matches("swifts") == [1])
    #expect(try matches("words OR back") == [1, 2])
    let highlighted = try db.row(
      "SELECT highlight(page, 0, '[', ']') FROM page WHERE page MATCH 'are'")
    #expect(highlighted?[0] == "the swifts [are] back")
    // The index holds the words reversed.
    try db.execute("CREATE VIRTUAL TABLE term USING fts5vocab(page, row)")
    #expect(try db.rows("SELECT term FROM term").map { $0[0] }.contains("stfiws"))
    try db.execute("UPDATE page SET body = 'gone' WHERE rowid = 1")
    #expect(try matches("swifts") == [])
    try db.execute("INSERT INTO page (page) VALUES ('integrity-check')")
  }

  @Test("a tokenizer that wraps a built-in one can add words at the same position")
  func wrapper() throws {
    try db.tokenizer("synonyms") { context in
      try Synonyms(["first": "1st"], of: context.tokenizer("porter", context.arguments))
    }
    try db.execute(
      "CREATE VIRTUAL TABLE page USING fts5(body, tokenize = 'synonyms unicode61 remove_diacritics 2')"
    )
    try db.execute(
      "INSERT INTO page (body) VALUES ('I won first place'), ('Swifts flew in Málaga')")
    #expect(try matches("\"1st place\"") == [1])
    #expect(try matches("\"first place\"") == [1])
    #expect(try matches("swift") == [2])
    #expect(try matches("malaga") == [2])
    // A custom tokenizer can be wrapped as well.
    try db.tokenizer("twice") { Synonyms(["x": "y"], of: try $0.tokenizer("reversing")) }
    try db.execute("CREATE VIRTUAL TABLE other USING fts5(body, tokenize = 'twice')")
    try db.execute("INSERT INTO other (body) VALUES ('abc')")
    #expect(try db.rows("SELECT rowid FROM other WHERE other MATCH 'abc'").count == 1)
  }

  @Test("a built-in tokenizer does not read on after the part of a text that a wrapper gives it")
  func part() throws {
    try db.tokenizer("beginning") { Beginning(of: try $0.tokenizer("trigram")) }
    try db.execute(
      """
      CREATE VIRTUAL TABLE page USING fts5(body, tokenize = 'beginning');
      CREATE VIRTUAL TABLE term USING fts5vocab(page, row);
      INSERT INTO page (body) VALUES ('abcdef')
      """)
    #expect(try db.rows("SELECT term FROM term").map { $0[0] } == ["abc"])
  }

  @Test("a tokenizer's error is the statement's error, and its writes are undone")
  func throwing() throws {
    try db.tokenizer("failing") { context in
      if context.arguments == ["now"] { throw Failing.Failure(description: "not made") }
      return FailingTokenizer()
    }
    let made = #expect(throws: DatabaseError.self) {
      try db.execute("CREATE VIRTUAL TABLE page USING fts5(body, tokenize = 'failing now')")
    }
    #expect(made?.message == "not made")
    try db.execute("CREATE VIRTUAL TABLE page USING fts5(body, tokenize = 'failing')")
    try db.execute("INSERT INTO page (body) VALUES ('good')")
    let whole = #expect(throws: DatabaseError.self) {
      try db.write { tx in
        try tx.execute("INSERT INTO page (body) VALUES ('fine')")
        do {
          try tx.execute("INSERT INTO page (body) VALUES ('bad')")
          Issue.record("the tokenizer did not fail")
        } catch let error as DatabaseError {
          if error.message != "bad is no word" { throw error }
        }
      }
    }
    #expect(whole?.code == .abort)
    #expect(throws: DatabaseError.self) {
      try db.writeWithoutTransaction { try $0.execute("UPDATE page SET body = 'bad'") }
    }
    #expect(try db.rows("SELECT body FROM page").map { $0[0] } == ["good"])
    try db.execute("INSERT INTO page (page) VALUES ('integrity-check')")
    let query = #expect(throws: DatabaseError.self) { try matches("bad") }
    #expect(query?.message == "bad is no word")
    #expect(try matches("good") == [1])
  }

  @Test("a missing tokenizer, or one that refuses its arguments, is named in the error")
  func missing() throws {
    try db.tokenizer("wrapping") { try $0.tokenizer("nowhere") }
    let error = #expect(throws: DatabaseError.self) {
      try db.execute("CREATE VIRTUAL TABLE page USING fts5(body, tokenize = 'wrapping')")
    }
    #expect(error?.message == "no such tokenizer: nowhere")
    try db.tokenizer("refused") { try $0.tokenizer("unicode61", ["nonsense", "1"]) }
    let refused = #expect(throws: DatabaseError.self) {
      try db.execute("CREATE VIRTUAL TABLE page USING fts5(body, tokenize = 'refused')")
    }
    #expect(refused?.message == "the tokenizer unicode61 does not accept its arguments: nonsense 1")
  }

  @Test("a tokenizer may not re-enter its database, and may be replaced while it runs")
  func reentering() throws {
    let replaces = Shared(false)
    try db.tokenizer("nosy") { [weak db] _ in
      Calling {
        if replaces.current {
          try db?.tokenizer("nosy") { try $0.tokenizer("ascii") }
        } else {
          _ = try db?.row("SELECT 1")
        }
      }
    }
    try db.execute("CREATE VIRTUAL TABLE page USING fts5(body, tokenize = 'nosy')")
    let error = #expect(throws: DatabaseError.self) {
      try db.execute("INSERT INTO page (body) VALUES ('a b')")
    }
    #expect(error?.message.contains("accessed from inside") == true)
    replaces.change { $0 = true }
    try db.execute("INSERT INTO page (body) VALUES ('a b')")
    #expect(try db.rows("SELECT body FROM page").count == 1)
  }

  @Test("tokenizers are released with the connection")
  func released() throws {
    let alive = Shared(0)
    do {
      let connection = try Connection()
      try connection.tokenizer("counted") { CountedTokenizer(alive, try $0.tokenizer("ascii")) }
      try connection.execute(
        """
        CREATE VIRTUAL TABLE page USING fts5(body, tokenize = 'counted');
        INSERT INTO page (body) VALUES ('a b')
        """)
      #expect(alive.current > 0)
    }
    #expect(alive.current == 0)
  }
}

/// Splits text at spaces and reverses each word.
final class Reversing: FTS5Tokenizer {
  func tokenize(
    _ text: Span<UInt8>, for purpose: FTS5Purpose, into tokens: borrowing FTS5Tokens
  ) throws {
    var word: [UInt8] = []
    for index in 0...text.count {
      if index < text.count, text[index] != UInt8(ascii: " ") {
        word.append(text[index])
      } else if !word.isEmpty {
        try tokens.append(
          String(decoding: word.reversed(), as: UTF8.self), at: index - word.count..<index)
        word = []
      }
    }
  }
}

/// The tokens of another tokenizer, with synonyms at the same positions.
final class Synonyms: FTS5Tokenizer {
  private let words: [String: String]
  private let base: any FTS5Tokenizer

  init(_ words: [String: String], of base: any FTS5Tokenizer) {
    self.words = words
    self.base = base
  }

  func tokenize(
    _ text: Span<UInt8>, for purpose: FTS5Purpose, into tokens: borrowing FTS5Tokens
  ) throws {
    var found: [(String, Range<Int>, Bool)] = []
    try base.tokenize(text, for: purpose, into: FTS5Tokens { found.append(($0, $1, $2)) })
    for (token, range, isColocated) in found {
      try tokens.append(token, at: range, isColocated: isColocated)
      if purpose.contains(.document), let other = words[token] {
        try tokens.append(other, at: range, isColocated: true)
      }
    }
  }
}

/// Passes the first three bytes of a text to another tokenizer.
private final class Beginning: FTS5Tokenizer {
  private let base: any FTS5Tokenizer

  init(of base: any FTS5Tokenizer) { self.base = base }

  func tokenize(
    _ text: Span<UInt8>, for purpose: FTS5Purpose, into tokens: borrowing FTS5Tokens
  ) throws {
    try base.tokenize(text.extracting(first: 3), for: purpose, into: tokens)
  }
}

private final class FailingTokenizer: FTS5Tokenizer {
  func tokenize(
    _ text: Span<UInt8>, for purpose: FTS5Purpose, into tokens: borrowing FTS5Tokens
  ) throws {
    let word = text.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    guard word != "bad" else { throw Failing.Failure(description: "bad is no word") }
    try tokens.append(word, at: 0..<text.count)
  }
}

/// Calls a closure and finds no words.
private final class Calling: FTS5Tokenizer {
  private let body: () throws -> Void

  init(_ body: @escaping () throws -> Void) {
    self.body = body
  }

  func tokenize(
    _ text: Span<UInt8>, for purpose: FTS5Purpose, into tokens: borrowing FTS5Tokens
  ) throws { try body() }
}

private final class CountedTokenizer: FTS5Tokenizer {
  private let alive: Shared<Int>
  private let base: any FTS5Tokenizer

  init(_ alive: Shared<Int>, _ base: any FTS5Tokenizer) {
    self.alive = alive
    self.base = base
    alive.change { $0 += 1 }
  }
  deinit { alive.change { $0 -= 1 } }

  func tokenize(
    _ text: Span<UInt8>, for purpose: FTS5Purpose, into tokens: borrowing FTS5Tokens
  ) throws {
    try base.tokenize(text, for: purpose, into: tokens)
  }
}
