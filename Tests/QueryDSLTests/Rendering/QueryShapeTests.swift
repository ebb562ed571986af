import QueryDSL
import SQLCore
import TestRun
import Testing

@testable import QueryFixtures

/// The statement cache finds a query by its shape, from which its SQL is read. So a shape has only one
/// SQL text; these tests check through the public interface that another text has another shape.
@Suite("The shape of a query")
struct QueryShapeTests {
  let connection: Connection

  init() throws {
    connection = try Connection()
    try connection.execute(
      """
      CREATE TABLE Track (id INTEGER PRIMARY KEY, title TEXT, genre TEXT, rating INTEGER,
        plays INTEGER, price REAL, isLive INTEGER, albumID INTEGER);
      CREATE TABLE Album (id INTEGER PRIMARY KEY, name TEXT)
      """)
  }

  func misses(_ body: () throws -> Void) throws -> Int {
    let before = try connection.statementCacheStatistics.misses
    try body()
    return try connection.statementCacheStatistics.misses - before
  }

  @Test("values do not change the shape, so that queries share one statement")
  func values() throws {
    func query(_ plays: Int, _ genre: String?, _ ids: [Int], _ limit: Int) -> some Fetchable {
      Track.where {
        $0.$plays > plays
        $0.$genre == genre
        $0.$id.isIn(ids)
      }.limit(limit)
    }
    let first = try misses { _ = try connection.fetch(query(1, "jazz", [], 1)) }
    #expect(first == 1)
    let others = try misses {
      _ = try connection.fetch(query(2, "rock", [1], 5))
      _ = try connection.fetch(query(-1, "", Array(0..<1000), 0))
    }
    #expect(others == 0)
    // Only nil has a shape of its own.
    #expect(try misses { _ = try connection.fetch(query(1, nil, [], 1)) } == 1)
    #expect(try misses { _ = try connection.fetch(query(2, nil, [3], 2)) } == 0)
  }

  @Test("queries with different SQL have different shapes")
  func different() throws {
    let queries: [any Fetchable] = [
      Track.all, Album.all,
      Track.limit(1), Track.all.offset(1), Track.limit(1).offset(1),
      Track.all.distinct(),
      Track.select(\.$id), Track.select(\.$plays), Track.select(\.$id, \.$plays),
      Track.select(\.$plays, \.$id), Track.select { $0.$id + $0.$plays },
      Track.select { $0.$id.max() }, Track.select { $0.$id.min() }, Track.select { $0.count() },
      Track.where { $0.$id == 1 }, Track.where { $0.$id != 1 }, Track.where { $0.$plays == 1 },
      Track.where { $0.$genre == nil }, Track.where { $0.$rating == nil },
      Track.where { $0.$genre != nil }, Track.where { $0.$genre == "a" },
      Track.where { $0.$genre != "a" }, Track.where { $0.$isLive.isTrue },
      Track.where { $0.$isLive.isFalse }, Track.where { $0.$isLive != true },
      Track.where { $0.$isLive != false }, Track.where { $0.$isLive.optional.isTrue },
      Track.where { $0.$isLive.optional.isFalse }, Track.where { $0.$isLive.optional != true },
      Track.where { $0.$isLive.optional != false },
      Track.where { $0.$id == $0.$plays }, Track.where { $0.$plays == $0.$id },
      Track.where { $0.$id < 1 }, Track.where { $0.$id <= 1 }, Track.where { !($0.$id < 1) },
      Track.where { $0.$id < 1 && $0.$id < 1 }, Track.where { $0.$id < 1 || $0.$id < 1 },
      Track.where { $0.$id.between(1, and: 1) }, Track.where { $0.$id.isIn([1]) },
      Track.where { $0.$title.like("a") }, Track.where { $0.$title.like("a", escape: "b") },
      Track.where { _ in SQLPredicate(sql: "id = 1") },
      Track.where { _ in SQLPredicate(sql: "id = 2") },
      Track.order(by: \.$id), Track.order(by: \.$id, .descending),
      Track.all.group(by: \.$id), Track.all.group(by: \.$id).order(by: \.$id),
      Track.where { $0.$id + 1 == 1 }, Track.where { $0.$id - 1 == 1 },
      Track.where { -$0.$id == 1 },
    ]
    var texts: Set<String> = []
    for query in queries {
      let text = try query.sql.text
      #expect(texts.insert(text).inserted, "\(text)")
      let missed = try misses { _ = try connection.exists(query) }
      #expect(missed == 1, "\(text)")
    }
    let again = try misses {
      for query in queries { _ = try connection.exists(query) }
    }
    #expect(again == 0)
  }

  @Test("the operations on a model have shapes of their own, next to queries of the same columns")
  func verbs() throws {
    let track = Music.tracks[0]
    let first = try misses {
      try connection.insert(track)
      try connection.save(track)
      try connection.update(track)
      _ = try connection.find(Track.self, 1)
      try connection.delete(track)
      _ = try connection.fetch(Track.where { $0.$id == 1 })
      try connection.run(Track.delete().where { $0.$id == 1 })
      try connection.run(Track.update { $0.$plays = 1 }.where { $0.$id == 1 })
    }
    #expect(first == 8)
    let second = try misses {
      try connection.insert(Music.tracks[1])
      try connection.save(Music.tracks[1])
      try connection.update(Music.tracks[1])
      _ = try connection.find(Track.self, 2)
      try connection.delete(Music.tracks[1])
      _ = try connection.fetch(Track.where { $0.$id == 2 })
      try connection.run(Track.delete().where { $0.$id == 2 })
      try connection.run(Track.update { $0.$plays = 2 }.where { $0.$id == 2 })
    }
    #expect(second == 0)
  }

  @Test("the cached statement of a random query returns the rows of the query's own SQL")
  func random() throws {
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    try connection.insert(Music.tracks)
    for _ in 0..<TestSize.count(small: 300, full: 2_000) {
      var query = Track.all
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        query = query.where { PredicateTreeTests.predicate($0, &random) }
      }
      if Bool.random(using: &random) { query = query.order(by: \.$plays) }
      if Bool.random(using: &random) { query = query.order(by: \.$title, .descending) }
      if Bool.random(using: &random) { query = query.limit(3) }
      if Bool.random(using: &random) { query = query.offset(3) }
      if Bool.random(using: &random) { query = query.distinct() }
      let isCached = try misses { _ = try connection.fetch(query) } == 0
      // Raw SQL is cached by its bytes, so that this is never another query's statement.
      let names = try connection.fetch(query).map(\.id)
      let raw = try connection.fetch(Track.self, query.sql).map(\.id)
      #expect(names == raw, "seed \(seed), cached \(isCached)")
    }
  }
}

extension PredicateTreeTests {
  /// Returns a random condition over tracks.
  static func predicate(
    _ track: Columns<Track>, _ random: inout SeededGenerator
  ) -> SQLPredicate {
    let value = Int.random(in: 0...9, using: &random)
    switch Int.random(in: 0..<9, using: &random) {
    case 0: return track.$id == value
    case 1: return track.$plays == value
    case 2: return track.$rating == value
    case 3: return track.$rating != nil
    case 4: return track.$id.isIn([value])
    case 5: return track.$rating.isIn([value, nil])
    case 6: return !(track.$plays < track.$id)
    case 7: return track.$title.like("%\(value)%") || track.$plays + value > 3
    default:
      return AnyOf {
        track.$id > value
        track.$isLive == true
      }
    }
  }
}
