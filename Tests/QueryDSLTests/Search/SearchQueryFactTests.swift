import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@testable import QueryFixtures

/// Facts about FTS5 on which the form of a search rests.
@Suite("Full-text search and the rules of FTS5")
struct SearchQueryFactTests {
  private typealias Post = Library.Post

  private func database() throws -> Database {
    let db = try Library.database()
    try db.insert([
      Post(id: 1, title: "foo-bar baz", body: #"a"b and AND or"#),
      Post(id: 2, title: "one two three", body: "fish fishing fisher"),
      Post(id: 3, title: "two", body: "one"),
    ])
    return db
  }

  private func ids(_ db: Database, _ text: String) throws -> [Int] {
    try db.fetch(Post.search(text).order(by: \.$id)).map(\.id)
  }

  @Test("no sign in a user's text is syntax")
  func signs() throws {
    let db = try database()
    #expect(try ids(db, "foo-bar") == [1])
    #expect(try ids(db, #"a"b"#) == [1])
    #expect(try ids(db, "AND") == [1])
    #expect(try ids(db, "NEAR(") == [])
    #expect(try ids(db, "title:two") == [])
    #expect(try ids(db, "baz ---") == [1])
    #expect(try ids(db, "bar\u{0}baz") == [1])
    for empty in ["", "  ", "\n", "\u{0}", "---", "\"", "*", "()", "\u{301}"] {
      #expect(try ids(db, empty) == [], "\(empty.debugDescription)")
      for pattern in [
        SearchPattern<Post>.words(empty), .anyWord(of: empty), .phrase(empty), .prefixes(empty),
        .near(empty, empty), .words(empty).in(\.$title), .words("two").and(.words(empty)),
      ] {
        #expect(try db.count(Post.search(pattern)) == 0, "\(empty.debugDescription) \(pattern)")
      }
      #expect(try db.count(Post.search(.words("two").or(.words(empty)))) == 2)
      #expect(try db.count(Post.search(.words("two").excluding(.words(empty)))) == 2)
    }
  }

  @Test("a hostile text never fails, finds nothing else, and writes nothing")
  func hostileTexts() throws {
    let db = try database()
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    let pieces = [
      "\"", "'", "*", "(", ")", "{", "}", ":", "^", "+", "-", ",", ";", "\\", "\u{0}", "\u{2}",
      " ", "\n", "\u{A0}", "AND", "OR", "NOT", "NEAR", "NEAR(", "title", "title:", "rank", "rowid",
      "one", "two", "fi", "é", "e\u{301}", "\u{301}", "\u{200D}", "\u{FE0F}", "日本語", "🐦‍⬛",
      "\u{202E}", "؟", "DROP TABLE Post", "--", "/*",
      "\u{FFFD}", "\u{1F1E9}", "%", "_", "?", "?1", "Post_search", "'integrity-check'",
    ]
    let before = try db.fetch(Post.all)
    for round in 0..<TestSize.count(small: 10_000, full: 100_000) {
      let text = (0..<Int.random(in: 0...12, using: &random))
        .map { _ in pieces.randomElement(using: &random) ?? "" }
        .joined(separator: Bool.random(using: &random) ? " " : "")
      let patterns: [SearchPattern<Post>] = [
        .asYouType(text), .words(text), .anyWord(of: text), .phrase(text), .prefixes(text),
        .near(text, "one"), .words(text).in(\.$title).excluding(.phrase(text)),
      ]
      let pattern = patterns[round % patterns.count]
      do {
        _ = try db.fetch(Post.search(pattern).selectHit { _, hit in hit.snippet() })
      } catch {
        Issue.record("seed \(seed), round \(round): \(text.debugDescription): \(error)")
        return
      }
    }
    #expect(try db.fetch(Post.all) == before)
    #expect(try db.checkSearchIndex(of: Post.self))
  }

  @Test("an index without positions takes words apart itself, and every character is safe")
  func details() throws {
    struct Page: Model {
      @PrimaryKey var id: Int
      @Column var text: String
      @Column var note: String
      static var schema: Schema<Page> { FullText(\.$text, \.$note, detail: .none) }
    }
    struct Leaf: Model {
      @PrimaryKey var id: Int
      @Column var text: String
      static var schema: Schema<Leaf> { FullText(\.$text, detail: .column) }
    }
    let db = try Specification.database(models: [Page.self, Leaf.self])
    try db.insert(Page(id: 1, text: "foo-bar e\u{301}a", note: ""))
    try db.insert(Leaf(id: 1, text: "foo-bar"))
    #expect(try db.count(Page.search("foo-bar éa")) == 1)
    #expect(try db.count(Page.search("bar-foo")) == 1)
    #expect(try db.count(Leaf.search(.words("foo-bar").in(\.$text))) == 1)
    #expect(throws: QueryError.self) { try db.count(Page.search(.phrase("foo bar"))) }
    #expect(throws: QueryError.self) { try db.count(Leaf.search(.near("foo", "bar"))) }
    #expect(throws: QueryError.self) { try db.count(Page.search(.words("foo").in(\.$text))) }
    // A word that the tokenizer splits would be a phrase, and an error.
    var broken: [String] = []
    for first in stride(from: UInt32(1), to: 0x32000, by: 64) {
      let scalars = (first..<first + 64).compactMap(Unicode.Scalar.init)
      func isSafe(_ scalars: [Unicode.Scalar]) -> Bool {
        let text = scalars.map { "a\($0)b" }.joined(separator: " ")
        return (try? db.count(Page.search(.words(text)))) != nil
      }
      guard !isSafe(scalars) else { continue }
      broken += scalars.filter { !isSafe([$0]) }.map { String($0.value, radix: 16) }
    }
    #expect(broken.isEmpty, "\(broken.count): \(broken.prefix(40))")
  }

  @Test("only the last word is a beginning, and the star is outside the quotation marks")
  func beginnings() throws {
    let db = try database()
    #expect(try ids(db, "fishin") == [2])
    #expect(try ids(db, "fishin fish") == [])
    #expect(try ids(db, "fish fishin") == [2])
    #expect(try ids(db, "fi*") == [2])
  }

  @Test("the order by rank is made inside FTS5, without sorting")
  func plan() throws {
    let db = try database()
    let plan = try db.explain(Post.search("one").order(by: .rank))
    #expect(!"\(plan)".contains("TEMP B-TREE"), "\(plan)")
    #expect("\(plan)".contains("VIRTUAL TABLE"), "\(plan)")
  }

  @Test("functions of a hit fail in a group, and work in a query inside it")
  func groups() throws {
    struct Found: ResultRow {
      @Column var id: Int
      @Column var text: HighlightedText
    }
    let db = try database()
    #expect(throws: DatabaseError.self) {
      try db.fetch(
        Post.search("one").group(by: \.$status).selectHit { _, hit in hit.snippet() })
    }
    let hits = Query { (post: Columns<Post>, hit: Columns<SearchHit<Post>>) in
      From(post)
      Join(post.search("one").as(hit))
      OrderBy(hit.$rank)
      Limit(100)
      Select(post.$id, hit.snippet().as("text"), into: Found.self)
    }
    let grouped = Query { (post: Columns<Post>, found: Columns<Found>) in
      From(post)
      Join(hits.as(found), on: found.$id == post.$id)
      GroupBy(post.$status)
      Select(post.$status, post.$id.count(), found.$text)
    }
    let rows = try db.fetch(grouped)
    #expect(rows.count == 1 && rows[0].1 == 2 && rows[0].2.ranges.count == 1)
  }

  @Test("a highlighted text cannot be stored, because only this process can read its marks")
  func storing() throws {
    struct Kept: Model {
      @PrimaryKey var id: Int
      @Column var text: HighlightedText?
    }
    let db = try database()
    let hit = try #require(
      try db.first(
        Post.search("three").selectHit { _, hit in hit.highlight(of: \.$title) }))
    #expect(hit.text == "one two three")
    let error = #expect(throws: ColumnValueError.self) {
      try db.execute("UPDATE Post SET title = \(hit)")
    }
    #expect(error?.description.contains("store its `text`") == true)
    let refusal = #expect(throws: ModelError.self) {
      try Specification.database(models: [Kept.self])
    }
    #expect(refusal?.message.hasPrefix("text: a HighlightedText cannot be stored") == true)
  }

  @Test("marks in the text are text, and neighbouring words are one range")
  func marks() throws {
    let db = try Library.database()
    let title = "\u{2}one\u{3} e\u{301}\u{301} [two] 👩‍👩‍👧 one\u{301} two"
    try db.insert(Post(id: 1, title: title))
    let hit = try #require(
      try db.first(
        Post.search(.phrase("one two").or(.words("one"))).selectHit { _, hit in
          hit.highlight(of: \.$title)
        }))
    #expect(hit.text.utf8.elementsEqual(title.utf8))
    #expect(hit.ranges.map { String(hit.text[$0]) } == ["one", "one\u{301} two"])
  }
}
