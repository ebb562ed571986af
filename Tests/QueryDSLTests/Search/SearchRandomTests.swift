import QueryDSL
import SQLCore
import TestRun
import Testing

@testable import QueryFixtures

@Suite("Full-text search against a plain reference")
struct SearchRandomTests {
  private typealias Post = Library.Post
  private typealias Text = SearchReference.Text

  /// The words of each text that was ever written: the database is the truth about which row has
  /// which text.
  private struct World {
    var random: SeededGenerator
    var words: [String: [String]] = [:]

    mutating func text() -> String {
      let text = Text(wordCount: Int.random(in: 0...6, using: &random), using: &random)
      words[text.text] = text.words
      return text.text
    }

    mutating func id() -> Int { Int.random(in: 1...30, using: &random) }

    mutating func slug() -> String? {
      Bool.random(using: &random) ? nil : "s\(Int.random(in: 1...12, using: &random))"
    }

    mutating func author() -> Int? {
      Bool.random(using: &random) ? nil : Int.random(in: 1...3, using: &random)
    }

    mutating func post() -> Post {
      Post(
        id: id(), title: text(), body: Bool.random(using: &random) ? nil : text(),
        authorID: author(), slug: slug())
    }
  }

  private struct Undone: Error {}

  /// Makes one random write. A violated constraint is one of the outcomes.
  private func write(_ connection: Connection, _ world: inout World) throws {
    let post = world.post()
    let text = world.text()
    let (id, slug) = (world.id(), world.slug())
    switch Int.random(in: 0..<15, using: &world.random) {
    case 0, 1: try connection.insert(post)
    case 2: _ = try connection.upsert(post, onConflict: \.$id)
    case 3:
      try connection.execute(
        """
        INSERT OR REPLACE INTO Post (id, title, body, status, slug)
        VALUES (\(post.id), \(post.title), \(post.body), 'draft', \(post.slug))
        """)
    case 4:
      try connection.execute(
        """
        REPLACE INTO Post (title, body, status, slug)
        VALUES (\(post.title), \(post.body), 'draft', \(post.slug))
        """)
    case 5: try connection.execute("UPDATE OR REPLACE Post SET slug = \(slug) WHERE id = \(id)")
    case 6: try connection.execute("UPDATE OR REPLACE Post SET id = \(id) WHERE id = \(post.id)")
    case 7: try connection.execute("UPDATE Post SET title = \(text) WHERE id % 3 = \(id % 3)")
    case 8: try connection.execute("UPDATE Post SET body = NULL WHERE id = \(id)")
    case 9: try connection.execute("UPDATE OR IGNORE Post SET id = id + 1, title = \(text)")
    case 10:
      try connection.execute(
        """
        INSERT OR IGNORE INTO Post (id, title, status, slug)
        VALUES (\(post.id), \(post.title), 'draft', \(post.slug))
        """)
    case 11: try connection.execute("DELETE FROM Author WHERE id = \(id % 3 + 1)")
    case 12:
      for id in 1...3 {
        try connection.execute("INSERT OR IGNORE INTO Author VALUES (\(id), 'name')")
      }
    case 13: try connection.run(Post.delete().where { $0.$id == id })
    default:
      if id == 1 { try connection.execute("DELETE FROM Post") }
      if var post = try connection.find(Post.self, id) {
        post.title = text
        try connection.update(post)
      }
    }
  }

  /// Makes some random writes; some are rolled back.
  private func write(_ db: Database, _ world: inout World) throws {
    let isUndone = Int.random(in: 0..<6, using: &world.random) == 0
    var random = world
    do {
      try db.write { connection in
        for _ in 0..<Int.random(in: 1...3, using: &random.random) {
          do {
            try connection.savepoint { connection in
              try write(connection, &random)
              if Int.random(in: 0..<8, using: &random.random) == 0 { throw Undone() }
            }
          } catch is Undone {
          } catch let error as DatabaseError where error.code.primary == .constraint {
          }
        }
        if isUndone { throw Undone() }
      }
    } catch is Undone {}
    world = random
  }

  private func reference(_ db: Database, _ world: World) throws -> SearchReference {
    var reference = SearchReference()
    for post in try db.fetch(Post.all) {
      reference.rows[post.id] = [post.title, post.body ?? ""].map { text in
        var known = Text()
        known.text = text
        known.words = world.words[text] ?? []
        return known
      }
    }
    return reference
  }

  @Test("after random writes, the index is whole, and words, phrases and beginnings are found")
  func randomWrites() throws {
    let seed = TestSeed.draw()
    var world = World(random: SeededGenerator(seed: seed))
    let db = try Library.database()
    try db.execute("CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, Post_search, instance)")
    for round in 0..<TestSize.count(small: 400, full: 2_000, long: 20_000) {
      try write(db, &world)
      guard try db.checkSearchIndex(of: Post.self) else {
        Issue.record("seed \(seed), round \(round): the index does not agree with its table")
        return
      }
      let reference = try reference(db, world)
      let words = (0..<Int.random(in: 1...3, using: &world.random)).compactMap { _ in
        SearchReference.words.randomElement(using: &world.random)
      }
      let text = words.map(\.text).joined(separator: " ")
      let folded = words.map(\.folded)
      func found(_ pattern: SearchPattern<Post>) throws -> [Int] {
        try db.fetch(Post.search(pattern).order(by: \.$id).select(\.$id))
      }
      let comparisons = [
        (try found(.words(text)), reference.ids(words: folded)),
        (try found(.asYouType(text)), reference.ids(words: folded, isOpen: true)),
        (try found(.phrase(text)), reference.ids(phrase: folded)),
        (
          try found(.anyWord(of: text)), Set(folded.flatMap { reference.ids(words: [$0]) }).sorted()
        ),
      ]
      guard comparisons.allSatisfy({ $0.0 == $0.1 }) else {
        Issue.record("seed \(seed), round \(round): \(text.debugDescription): \(comparisons)")
        return
      }
      if round % 100 == 0 { try compareWithRebuilt(db, seed, round) }
    }
  }

  /// Compares all terms of the index, with their places, with those of an index that is filled
  /// again.
  private func compareWithRebuilt(_ db: Database, _ seed: UInt64, _ round: Int) throws {
    try db.write { connection in
      let terms: SQL = "SELECT term || ' ' || doc || ' ' || col || ' ' || offset FROM temp.terms"
      let sizes: SQL = "SELECT id || ' ' || hex(sz) FROM Post_search_docsize ORDER BY id"
      let before = try connection.fetch(String.self, terms) + connection.fetch(String.self, sizes)
      try connection.rebuildSearchIndex(of: Post.self)
      let after = try connection.fetch(String.self, terms) + connection.fetch(String.self, sizes)
      #expect(before == after, "seed \(seed), round \(round)")
    }
  }
}
