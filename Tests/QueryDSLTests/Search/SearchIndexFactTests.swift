import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

/// What must hold whenever rows are written; each test is a fact about FTS5 that a plain index of
/// triggers gets wrong.
@Suite("Full-text indexes under writes")
struct SearchIndexFactTests {
  private typealias Post = Library.Post

  private func isWhole(_ db: Database) throws -> Bool {
    try db.checkSearchIndex(of: Post.self)
  }

  private func keys(_ db: Database, _ pattern: String) throws -> [Int] {
    try Library.keys(db, pattern)
  }

  @Test(
    "REPLACE takes the rows that it deletes out of the index, whichever constraint they violate")
  func replace() throws {
    let db = try Library.database()
    try db.insert([
      Post(id: 1, title: "one", slug: "a"), Post(id: 2, title: "two", slug: "b"),
      Post(id: 3, title: "three", slug: "c"),
    ])
    try db.execute("INSERT OR REPLACE INTO Post (id, title, status) VALUES (1, 'uno', 'draft')")
    try db.execute(
      "INSERT OR REPLACE INTO Post (id, title, status, slug) VALUES (9, 'nine', 'draft', 'b')")
    try db.execute("UPDATE OR REPLACE Post SET slug = 'c' WHERE id = 9")
    #expect(try keys(db, "one OR two OR three") == [])
    #expect(try keys(db, "uno OR nine") == [1, 9])
    #expect(try isWhole(db))
  }

  @Test("another program that writes with REPLACE spoils the index, which shows and is repaired")
  func otherProgram() throws {
    let db = try Library.database()
    try db.insert(Post(id: 1, title: "one"))
    let other = try Database(path: try #require(db.path))
    let sql: SQL = "INSERT OR REPLACE INTO Post (id, title, status) VALUES (1, 'uno', 'draft')"
    try other.execute(sql)
    #expect(try !isWhole(db))
    try db.rebuildSearchIndex(of: Post.self)
    #expect(try isWhole(db))
    #expect(try keys(db, "one OR uno") == [1])
    try other.execute("PRAGMA recursive_triggers = ON")
    try other.execute(sql)
    #expect(try isWhole(db))
  }

  @Test("filling an index again reports how many rows are done, and ends if the closure throws")
  func progress() async throws {
    let db = try Library.database()
    try await db.execute(
      """
      WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25000)
      INSERT INTO Post (id, title, status) SELECT i, 'word ' || i, 'draft' FROM n
      """)
    let seen = Lock<[Int]>([])
    try await db.rebuildSearchIndex(of: Post.self) { done, count in
      #expect(count == 25_000)
      seen.withLock { $0.append(done) }
    }
    let rows = seen.withLock { $0 }
    #expect(rows.count >= 2 && rows.first == 0 && rows == rows.sorted(), "\(rows)")
    #expect(rows.allSatisfy { $0 < 25_000 })
    let isFilled = try isWhole(db)
    struct Stop: Error {}
    await #expect(throws: Stop.self) {
      try await db.rebuildSearchIndex(of: Post.self) { done, _ in if done > 0 { throw Stop() } }
    }
    let (isUnchanged, count) = (try isWhole(db), try keys(db, "word").count)
    #expect(isFilled && isUnchanged && count == 25_000)
  }

  @Test("a wrong old value in the delete command spoils an index silently, until it is checked")
  func wrongOldValue() throws {
    let db = try Library.database()
    try db.insert([Post(id: 1, title: "one"), Post(id: 2, title: "two")])
    try db.execute(
      """
      INSERT INTO Post_search (Post_search, rowid, title, body) VALUES ('delete', 1, 'wrong', NULL)
      """)
    #expect(try !isWhole(db))
    try db.rebuildSearchIndex(of: Post.self)
    #expect(try isWhole(db))
  }

  @Test("insert, update, upsert, delete, cascade, changed key and rollback keep the index whole")
  func writes() throws {
    let db = try Library.database()
    try db.insert(Library.Author(id: 1, name: "Jane"))
    try db.insert([
      Post(id: 1, title: "one", body: "x", authorID: 1), Post(id: 2, title: "two"),
      Post(id: 3, title: "three", body: "y"),
    ])
    try db.execute("UPDATE Post SET title = 'uno', body = NULL WHERE id = 3")
    try db.upsert(Post(id: 2, title: "dos"), onConflict: \.$id)
    try db.execute("UPDATE Post SET id = 30 WHERE id = 3")
    try db.execute("DELETE FROM Author")
    struct Undone: Error {}
    #expect(throws: Undone.self) {
      try db.write { connection in
        try connection.insert(Post(id: 5, title: "undone"))
        throw Undone()
      }
    }
    #expect(try keys(db, "one OR two OR three OR undone") == [])
    #expect(try keys(db, "uno OR dos") == [2, 30])
    #expect(try isWhole(db))
    try db.execute("DELETE FROM Post")
    #expect(try keys(db, "uno OR dos") == [])
    #expect(try isWhole(db))
  }

  @Test("a key that is changed under another of its names is changed in the index")
  func namesOfTheKey() throws {
    let db = try Library.database()
    try db.insert(Post(id: 1, title: "one"))
    for (name, key) in [("rowid", 5), ("_rowid_", 6), ("oid", 7), ("id", 8)] {
      try db.execute(SQL(unsafe: "UPDATE Post SET \(name) = \(key)"))
      #expect(try keys(db, "one") == [key] && isWhole(db), "\(name)")
    }
  }

  @Test("triggers of the program that write their own row keep the index whole, however late")
  func triggers() throws {
    struct Plain: Model {
      static let tableName = "Page"
      @PrimaryKey var id: Int
      @Column var title: String
      @Column var body: String?
      static var schema: Schema<Plain> { FullText(\.$title, \.$body) }
    }
    struct Page: Model {
      static let tableName = "Page"
      @PrimaryKey var id: Int
      @Column var title: String
      @Column var body: String?
      static var schema: Schema<Page> {
        FullText(\.$title, \.$body)
        Trigger("fill", after: .insert) { new in
          Page.update { $0.$body = new.$title.optional }.where { $0.$id == new.$id }
        }
        Trigger("touch", after: .update(of: \.$title)) { _, new in
          Page.update { $0.$body = new.$title.optional }.where { $0.$id == new.$id }
        }
      }
    }
    func check(_ db: Database) throws {
      try db.execute("INSERT INTO Page VALUES (1, 'one', NULL)")
      #expect(try db.checkSearchIndex(of: Page.self))
      try db.execute("UPDATE Page SET title = 'two' WHERE id = 1")
      #expect(try db.checkSearchIndex(of: Page.self))
      #expect(try Library.keys(db, "{body} : two", in: "Page_search") == [1])
      #expect(try Library.keys(db, "one", in: "Page_search") == [])
    }
    try check(.temporary(models: [Page.self]))
    let second = try Specification.database(models: [Plain.self])
    try second.migrate([Page.self])
    #expect(try second.migrationPlan(for: [Page.self]).isEmpty)
    try check(second)
    let raw = try Specification.database(models: [Plain.self])
    try raw.execute(
      """
      CREATE TRIGGER raw AFTER INSERT ON Page BEGIN
        UPDATE Page SET body = new.title WHERE id = new.id;
      END
      """)
    try raw.migrate([Page.self])
    try check(raw)
  }

  @Test("an update of other columns does not touch the index")
  func otherColumns() throws {
    let db = try Library.database()
    try db.insert(Post(id: 1, title: "one"))
    func content() throws -> [[UInt8]] {
      try db.fetch([UInt8].self, "SELECT block FROM Post_search_data ORDER BY id")
    }
    let before = try content()
    try db.execute("UPDATE Post SET status = 'draft', slug = 'x'")
    #expect(try content() == before)
    #expect(try isWhole(db))
  }

  @Test("a generated column can be indexed, stored or not")
  func generated() throws {
    struct Person: Model {
      @PrimaryKey var id: Int
      @Column var first: String
      @Column var last: String
      @Column var name: String
      @Column var turned: String
      static var schema: Schema<Person> {
        Generated(\.$name, .stored) { $0.$first.concat(" ").concat($0.$last) }
        Generated(\.$turned, .virtual) { $0.$last.concat(" ").concat($0.$first) }
        FullText(\.$name, \.$turned)
      }
    }
    let db = try Specification.database(models: [Person.self])
    try db.insert(Person(id: 1, first: "Ada", last: "Byron", name: "", turned: ""))
    try db.execute("UPDATE Person SET last = 'Lovelace'")
    #expect(try Library.keys(db, "\"ada lovelace\"", in: "Person_search") == [1])
    #expect(try Library.keys(db, "\"lovelace ada\"", in: "Person_search") == [1])
    #expect(try Library.keys(db, "byron", in: "Person_search") == [])
    #expect(try db.checkSearchIndex(of: Person.self))
  }

  @Test("an index can be merged in steps and optimized")
  func merging() throws {
    let db = try Library.database()
    for id in 1...40 { try db.insert(Post(id: id, title: "swift \(id)")) }
    var rounds = 0
    while try db.mergeSearchIndex(of: Post.self, pages: 1), rounds < 1_000 { rounds += 1 }
    #expect(rounds > 0 && rounds < 1_000)
    #expect(try !db.mergeSearchIndex(of: Post.self))
    try db.optimizeSearchIndex(of: Post.self)
    #expect(try keys(db, "swift").count == 40)
    #expect(try isWhole(db))
  }

  @Test("a model without a full-text index has none to check")
  func undeclared() throws {
    let db = try Library.database()
    let error = #expect(throws: ModelError.self) {
      try db.checkSearchIndex(of: Library.Author.self)
    }
    #expect(error?.message.contains("declare `FullText") == true)
  }

  @Test("the file of another program can be read, but not written, without trust in its schema")
  func untrusted() throws {
    let trusting = try Library.database()
    try trusting.insert(Post(id: 1, title: "one"))
    var configuration = Configuration()
    configuration.trustsSchema = false
    let db = try Database(
      path: #require(trusting.path), models: Library.models, configuration: configuration)
    // A row that is written is in the index.
    if SQLiteLibrary.versionNumber < 3_044_000 {
      let error = #expect(throws: DatabaseError.self) { try db.insert(Post(id: 2, title: "two")) }
      #expect(error?.message.contains("unsafe use of virtual table") == true)
      let found = try db.count(Post.all)
      #expect(found == 1)
    } else {
      try db.insert(Post(id: 2, title: "two"))
      let found2 = try keys(db, "two")
      #expect(found2 == [2])
    }
    #expect(try keys(db, "one") == [1])
  }

  @Test("accents are folded, and the tokenizer of trigrams finds parts of words")
  func tokenizers() throws {
    struct Page: Model {
      @PrimaryKey var id: Int
      @Column var text: String
      static var schema: Schema<Page> { FullText(\.$text, tokenizer: .trigram()) }
    }
    let db = try Library.database()
    try db.insert([
      Post(id: 1, title: "Café"), Post(id: 2, title: "Cafe\u{301}"), Post(id: 3, title: "ếc"),
    ])
    #expect(try keys(db, "cafe") == [1, 2])
    #expect(try keys(db, "ec") == [3])
    let pages = try Specification.database(models: [Page.self])
    try pages.insert(Page(id: 1, text: "Concurrency"))
    #expect(try Library.keys(pages, "curr", in: "Page_search") == [1])
    #expect(try Library.keys(pages, "cu", in: "Page_search") == [])
    #expect(
      try pages.fetch(Int.self, "SELECT rowid FROM Page_search WHERE text LIKE '%curren%'") == [1])
  }

  @Test("a tokenizer of the program is used by the migration and by every connection")
  func ownTokenizer() throws {
    struct Page: Model {
      @PrimaryKey var id: Int
      @Column var text: String
      static var schema: Schema<Page> { FullText(\.$text, tokenizer: .custom("bars", "x")) }
    }
    var configuration = Configuration()
    configuration.prepareConnection = { try $0.tokenizer("bars") { _ in Bars() } }
    let db = try Specification.database(models: [Page.self], configuration: configuration)
    try db.insert(Page(id: 1, text: "a b|c"))
    #expect(try Library.keys(db, "\"a b\"", in: "Page_search") == [1])
    #expect(try Library.keys(db, "b", in: "Page_search") == [])
    #expect(try db.checkSearchIndex(of: Page.self))
    #expect(throws: (any Error).self) { try Specification.database(models: [Page.self]) }
  }
}

/// Splits text at `|`.
private final class Bars: FTS5Tokenizer {
  func tokenize(
    _ text: Span<UInt8>, for purpose: FTS5Purpose, into tokens: borrowing FTS5Tokens
  ) throws {
    var start = 0
    for end in 0...text.count where end == text.count || text[end] == UInt8(ascii: "|") {
      if end > start {
        let bytes = (start..<end).map { text[$0] }
        try tokens.append(String(decoding: bytes, as: UTF8.self), at: start..<end)
      }
      start = end + 1
    }
  }
}
