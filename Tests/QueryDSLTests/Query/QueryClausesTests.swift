import QueryDSL
import SQLCore
import Testing

@testable import QueryFixtures

@Suite("Clauses in the query builder")
struct QueryClausesTests {
  let music: Music

  init() throws { music = try Music() }

  @Test("the order of the clauses does not change the SQL")
  func order() throws {
    let usual = Query { (track: Columns<Track>, album: Columns<Album>) in
      From(track)
      Join(album, on: track.$albumID == album.$id.optional)
      Where { track.$plays > 0 }
      OrderBy(track.$id)
      Limit(5)
      Offset(1)
      Distinct()
      Select(track.$title)
    }
    let backwards = Query { (track: Columns<Track>, album: Columns<Album>) in
      Select(track.$title)
      Distinct()
      Offset(1)
      Limit(5)
      OrderBy(track.$id)
      Where { track.$plays > 0 }
      Join(album, on: track.$albumID == album.$id.optional)
      From(track)
    }
    #expect(
      try usual.sql.text == """
        SELECT DISTINCT "Track"."title" FROM "Track" JOIN "Album" \
        ON "Track"."albumID" IS "Album"."id" WHERE "Track"."plays" > ? \
        ORDER BY "Track"."id" LIMIT ? OFFSET ?
        """)
    #expect(try backwards.sql.text == usual.sql.text)
    #expect(try backwards.sql.values == usual.sql.values)
    #expect(try music.db.fetch(usual) == ["Beta"])
    #expect(try music.db.fetch(backwards) == ["Beta"])
  }

  @Test("if, else, switch and for work around clauses")
  func controlFlow() throws {
    func query(minimum: Int?, sorted: Bool, genres: [String]) -> Query<Int> {
      Query { (track: Columns<Track>) in
        From(track)
        if let minimum {
          Where { track.$plays >= minimum }
        }
        if sorted {
          OrderBy(track.$plays)
        } else {
          OrderBy(track.$id, .descending)
        }
        for genre in genres {
          Where { track.$genre != genre }
        }
        switch genres.count {
        case 0: Limit(1)
        default: Limit(10)
        }
        Select(track.$id)
      }
    }
    #expect(
      try query(minimum: 5, sorted: true, genres: ["rock"]).sql.text == """
        SELECT "id" FROM "Track" WHERE "plays" >= ? AND "genre" IS NOT ? \
        ORDER BY "plays" LIMIT ?
        """)
    #expect(try music.db.fetch(query(minimum: 5, sorted: true, genres: ["rock"])) == [5, 2])
    #expect(try music.db.fetch(query(minimum: nil, sorted: false, genres: [])) == [5])
    #expect(
      try music.db.fetch(query(minimum: nil, sorted: false, genres: ["rock", "jazz"])) == [5, 3])
  }

  @Test("the row of a whole table is the model")
  func single() throws {
    let models = Query { (album: Columns<Album>) in
      From(album)
      OrderBy(album.$id)
      Select(album)
    }
    #expect(try models.sql.text == #"SELECT "id", "name" FROM "Album" ORDER BY "id""#)
    #expect(try music.db.fetch(models) == Music.albums)
    #expect(try music.db.first(models) == Music.albums[0])
  }

  @Test("an empty Where adds no condition")
  func emptyWhere() throws {
    let query = Query { (album: Columns<Album>) in
      From(album)
      Where {}
      Select(album.count())
    }
    #expect(try query.sql.text == #"SELECT count(*) FROM "Album""#)
    #expect(try music.db.fetch(query) == [3])
  }

  @Test("the error names a table that is used but not in FROM, wherever it is used")
  func notInFrom() throws {
    let queries = [
      Query { (track: Columns<Track>, album: Columns<Album>) in
        From(track)
        Where { album.$id == 1 }
        Select(track.$id)
      },
      Query { (track: Columns<Track>, album: Columns<Album>) in
        From(track)
        Select(album.$id)
      },
      Query { (track: Columns<Track>, album: Columns<Album>) in
        From(track)
        OrderBy(album.$name)
        Select(track.$id)
      },
    ]
    for query in queries {
      let error = #expect(throws: QueryError.self) { try query.sql }
      #expect(error?.message == "the table Album is used, but it is not in FROM or a join")
      #expect(throws: QueryError.self) { try music.db.fetch(query) }
    }
    // Another parameter of the same model.
    let twin = Query { (track: Columns<Track>, other: Columns<Track>) in
      From(track)
      Where { other.$id == 1 }
      Select(track.$id)
    }
    #expect(throws: QueryError.self) { try music.db.fetch(twin) }
  }

  @Test("a missing From, two Froms, and a table joined twice or to itself throw a QueryError")
  func tables() throws {
    let noFrom = Query { (track: Columns<Track>) in
      Where { track.$id == 1 }
      Select(track.$id)
    }
    let twoFroms = Query { (track: Columns<Track>, album: Columns<Album>) in
      From(track)
      From(album)
      Select(track.$id)
    }
    let joinedTwice = Query { (track: Columns<Track>, album: Columns<Album>) in
      From(track)
      Join(album, on: track.$albumID == album.$id.optional)
      Join(album, on: track.$albumID == album.$id.optional)
      Select(track.$id)
    }
    let joinedToItself = Query { (track: Columns<Track>) in
      From(track)
      Join(track, on: track.$id == track.$id)
      Select(track.$id)
    }
    let joinedBefore = Query { (track: Columns<Track>) in
      Join(track, on: track.$id == track.$id)
      From(track)
      Select(track.$id)
    }
    for query in [noFrom, twoFroms, joinedTwice, joinedToItself, joinedBefore] {
      #expect(throws: QueryError.self) { try query.sql }
      #expect(throws: QueryError.self) { try music.db.fetch(query) }
      #expect(throws: QueryError.self) { try music.db.count(query) }
    }
  }

  @Test("the error names a clause that is given twice")
  func twice() throws {
    func message(@QueryBuilder _ clauses: (Columns<Track>) -> Query<Int>) -> String? {
      let query = clauses(Columns())
      #expect(throws: QueryError.self) { try music.db.fetch(query) }
      return #expect(throws: QueryError.self) { try query.sql }?.message
    }
    #expect(
      message {
        From($0)
        From($0)
        Select($0.$id)
      } == "FROM is given twice")
    #expect(
      message {
        From($0)
        GroupBy($0.$id)
        GroupBy($0.$genre)
        Select($0.$id)
      } == "GROUP BY is given twice")
    #expect(
      message {
        From($0)
        Limit(1)
        Limit(2)
        Select($0.$id)
      } == "LIMIT is given twice")
    #expect(
      message {
        From($0)
        Offset(1)
        Offset(2)
        Select($0.$id)
      } == "OFFSET is given twice")
    #expect(
      message {
        Distinct()
        From($0)
        Distinct()
        Select($0.$id)
      } == "DISTINCT is given twice")
    #expect(
      message {
        From($0)
        Join($0, on: $0.$id == 1)
        Select($0.$id)
      } == """
        the table Track is joined twice; to use a model twice, give the query two parameters of \
        its type
        """)
    #expect(
      message {
        Where { SQLPredicate(sql: "1") }
        Select($0.$id)
      } == "the table Track is used, but it is not in FROM or a join")
    let noFrom = Query { (track: Columns<Track>) in Select(1) }
    #expect(
      #expect(throws: QueryError.self) { try noFrom.sql }?.message == "the query has no From(…)")
  }

  @Test("two limits or a negative offset throw a QueryError")
  func limits() throws {
    let twice = Query { (track: Columns<Track>) in
      From(track)
      Limit(1)
      Limit(1)
      Select(track.$id)
    }
    let negative = Query { (track: Columns<Track>) in
      From(track)
      Offset(-1)
      Select(track.$id)
    }
    #expect(throws: QueryError.self) { try music.db.fetch(twice) }
    #expect(throws: QueryError.self) { try music.db.fetch(negative) }
  }
}
