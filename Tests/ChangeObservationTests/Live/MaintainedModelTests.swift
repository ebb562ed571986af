import QueryDSL
import SQLCore
import TestRun
import Testing

@testable import ChangeObservation

private struct Article: Model, Equatable {
  @PrimaryKey var id: Int64
  @Column var title: String
  @Column var tag: String?
  @Column var score: Double?
  @Column var stars: Int
}

private struct Place: Model, Equatable {
  struct ID: Hashable, Sendable {
    var country: String
    var number: Int
  }
  @PrimaryKey var country: String
  @PrimaryKey var number: Int
  @Column var name: String?
  var id: ID { ID(country: country, number: number) }
}

private let schema: SQL = """
  CREATE TABLE Article (id INTEGER PRIMARY KEY, title TEXT NOT NULL COLLATE NOCASE,
    tag TEXT COLLATE RTRIM, score REAL, stars INTEGER NOT NULL, unread BLOB);
  CREATE TABLE Place (country TEXT NOT NULL COLLATE NOCASE, number INTEGER NOT NULL, name TEXT,
    PRIMARY KEY (country, number)) WITHOUT ROWID;
  CREATE INDEX stars ON Article (stars);
  CREATE INDEX numbers ON Place (number);
  CREATE TABLE Plain (id INTEGER PRIMARY KEY, text TEXT);
  CREATE TRIGGER articles AFTER UPDATE OF stars ON Article WHEN new.stars = 3 BEGIN
    UPDATE Place SET name = new.title WHERE number = new.id % 4;
  END;
  """

@Suite("Maintained results compared with fresh fetches")
struct MaintainedModelTests {
  private func articles(
    _ name: String, _ query: TableQuery<Article, Article>, in db: Database
  ) -> Comparison {
    Comparison(name, query, sorted: query.order(by: \.$id), in: db)
  }

  private func comparisons(in db: Database) -> [Comparison] {
    let all = Article.all
    let starred = Article.where { $0.$stars > 1 }
    return [
      articles("all", all, in: db), articles("starred", starred, in: db),
      articles("by title", all.order(by: \.$title), in: db),
      articles("by title down", starred.order(by: \.$title, .descending), in: db),
      articles("by tag, score", all.order(by: \.$tag).order(by: \.$score, .descending), in: db),
      articles("by score", all.order(by: \.$score), in: db),
      articles("first three", all.limit(3), in: db),
      articles("top", starred.order(by: \.$score, .descending).limit(4), in: db),
      articles("page", all.order(by: \.$title).limit(3).offset(2), in: db),
      articles("rest", all.order(by: \.$stars, .descending).offset(4), in: db),
      articles("none", all.limit(0), in: db),
      articles("one", Article.where { $0.$id == 3 }, in: db),
      articles("title", Article.where { $0.$title == "B" }.order(by: \.$tag), in: db),
      articles("null", Article.where { $0.$score == nil }.order(by: \.$tag), in: db),
      articles(
        "either",
        Article.where { $0.$tag == "x" || !($0.$stars < 2) }.order(by: \.$id, .descending),
        in: db),
      articles(
        "in", Article.where { $0.$stars.isIn([1, 3]) }.order(by: \.$score).limit(5), in: db),
      articles("like", Article.where { $0.$title.like("a%") }.limit(2), in: db),
      articles("by expression", all.order(by: { $0.$stars * 2 + 1 }, .descending).limit(4), in: db),
      Comparison(
        "titles", all.order(by: \.$stars).select(\.$title),
        sorted: all.order(by: \.$stars).order(by: \.$id).select(\.$title), in: db),
      Comparison(
        "pairs", starred.order(by: \.$title).select(\.$title, \.$score),
        sorted: starred.order(by: \.$title).order(by: \.$id).select(\.$title, \.$score), in: db),
      Comparison(
        "places", Place.all, sorted: Place.order(by: \.$country).order(by: \.$number), in: db),
      Comparison(
        "by name", Place.order(by: \.$name, .descending).limit(3),
        sorted: Place.order(by: \.$name, .descending).order(by: \.$country).order(by: \.$number)
          .limit(3), in: db),
      articles("nulls last", all.order(by: \.$score, nulls: .last).limit(4), in: db),
      articles(
        "nulls first", all.order(by: \.$tag, .descending, nulls: .first).order(by: \.$score),
        in: db),
      Comparison(
        "collated", all.order { $0.$title.collated(.trimmed) },
        sorted: all.order { $0.$title.collated(.trimmed) }.order(by: \.$id), in: db),
      Comparison("join", Self.join, sorted: Self.join, in: db),
      Comparison(
        "count", Article.select { $0.count() }, sorted: Article.select { $0.count() }, in: db),
      Comparison(
        "distinct", all.order(by: \.$stars).select(\.$stars).distinct(),
        sorted: all.order(by: \.$stars).select(\.$stars).distinct(), in: db),
    ]
  }

  private static let join = Query { (article: Columns<Article>, place: Columns<Place>) in
    From(article)
    Join(place, on: place.$number == article.$stars)
    OrderBy(article.$id)
    OrderBy(place.$country)
    OrderBy(place.$number)
    Select(article.$title, place.$country)
  }

  @Test("after each transaction the result equals a fresh fetch, and the difference leads to it")
  func exact() async throws {
    let transactions = TestSize.count(small: 200, full: 300, long: 20_000)
    let seed = TestSeed.draw()
    let db = try Database.temporary(configuration: .relaxed)
    try await db.execute(schema)
    var writes = RandomRows(seed: seed)
    for _ in 0..<10 { try await db.execute(SQL(unsafe: writes.insertion())) }
    let comparisons = comparisons(in: db)
    for comparison in comparisons {
      try await comparison.check("seed \(seed), at first")
      // Without the hook, all queries run again.
      let hasHook = SQLiteLibrary.Feature.preUpdateHook.isAvailable
      #expect(comparison.isMaintained() == hasHook, "\(comparison.name)")
    }
    for unit in 0..<transactions {
      let statements = writes.transaction()
      try await db.writeWithoutTransaction { connection in
        try connection.execute("BEGIN")
        for statement in statements { try? connection.execute(SQL(unsafe: statement)) }
        try connection.execute("COMMIT")
      }
      // Sometimes several commits lie between two checks.
      if writes.chance(30) { continue }
      for comparison in comparisons { try await comparison.check("seed \(seed), unit \(unit)") }
    }
  }
}

/// Random changes of articles and places: small ranges, so that ties and conflicts are common.
private struct RandomRows {
  var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
  mutating func chance(_ percent: Int) -> Bool { number(1...100) <= percent }
  mutating func pick<T>(_ items: [T]) -> T { items[number(0...(items.count - 1))] }

  private mutating func title() -> String {
    pick(["'a'", "'A'", "'b'", "'B'", "'é'", "''", "'ab'"])
  }
  private mutating func tag() -> String { pick(["NULL", "'x'", "'x  '", "'y'", "' '", "''"]) }
  private mutating func score() -> String { pick(["NULL", "0", "1", "1.5", "-2.25", "1e300"]) }

  mutating func insertion() -> String {
    "INSERT OR REPLACE INTO Article (id, title, tag, score, stars) VALUES "
      + (0..<6).map { _ in
        "(\(number(1...90)), \(title()), \(tag()), \(score()), \(number(0...4)))"
      }.joined(separator: ", ")
  }

  mutating func transaction() -> [String] {
    var statements = (0..<number(1...4)).map { _ in statement() }
    if chance(20) {
      statements.insert("SAVEPOINT s", at: number(0...statements.count))
      statements.append(pick(["ROLLBACK TO s", "RELEASE s"]))
    }
    return statements
  }

  private mutating func statement() -> String {
    let id = number(1...90)
    switch number(1...16) {
    case 1...4: return insertion()
    case 5...6: return "DELETE FROM Article WHERE id BETWEEN \(id) AND \(id + number(0...20))"
    case 7: return "UPDATE Article SET title = \(title()) WHERE id = \(id)"
    case 8: return "UPDATE Article SET tag = \(tag()), score = \(score()) WHERE id = \(id)"
    case 9:
      return "UPDATE Article SET stars = \(number(0...4)) WHERE id BETWEEN \(id) AND \(id + 5)"
    case 10: return "UPDATE OR REPLACE Article SET id = \(number(1...90)) WHERE id = \(id)"
    case 11: return "UPDATE Article SET unread = randomblob(2)"
    case 12: return chance(20) ? "DELETE FROM Article" : "UPDATE Article SET score = -score"
    case 13...14:
      return "INSERT OR REPLACE INTO Place VALUES "
        + "(\(pick(["'de'", "'DE'", "'fr'"])), \(number(0...4)), \(title()))"
    case 15: return "UPDATE Place SET name = \(tag()) WHERE number = \(number(0...4))"
    default:
      return pick(["DELETE FROM Place WHERE number = 2", "INSERT INTO Plain DEFAULT VALUES"])
    }
  }
}
