import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("WITH and WITH RECURSIVE")
struct CommonTableSpecification {
  struct Folder: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var name: String
    @Column var parentID: Int?
  }

  struct Level: ResultRow, Equatable {
    @Column var id: Int
    @Column var depth: Int
  }

  struct Key: ResultRow, Equatable {
    @Column var id: Int
  }

  struct Number: ResultRow, Equatable {
    @Column var n: Int
  }

  let music: Music
  var db: Database { music.db }

  init() throws {
    music = try Music()
    try music.db.migrate([Folder.self])
    try music.db.insert([
      Folder(id: 1, name: "root", parentID: nil), Folder(id: 2, name: "a", parentID: 1),
      Folder(id: 3, name: "b", parentID: 1), Folder(id: 4, name: "c", parentID: 2),
    ])
  }

  @Test("a common table has a name and can be used twice in a query")
  func common() throws {
    let loud = CommonTable("loud", Track.where { $0.$plays > 10 }.select(into: Key.self))
    try music.expect(
      Query { (one: Columns<Key>, other: Columns<Key>) in
        With(loud)
        From(loud.as(one))
        Join(loud.as(other), on: one.$id < other.$id)
        OrderBy(one.$id)
        OrderBy(other.$id)
        Select(one.$id * 10 + other.$id)
      },
      """
      WITH "loud"("id") AS (SELECT "id" AS "id" FROM "Track" WHERE "plays" > ?) \
      SELECT "loud"."id" * ? + "loud_2"."id" FROM "loud" JOIN "loud" AS "loud_2" \
      ON "loud"."id" < "loud_2"."id" ORDER BY "loud"."id", "loud_2"."id"
      """, [12, 14, 24])
  }

  @Test("a recursive table walks a tree depth-first by its order, and ends at its limit")
  func orderAndLimit() throws {
    let start = Query { (root: Columns<Folder>) in
      From(root)
      Where { root.$parentID == nil }
      Select(root.$id, 0.as("depth"), into: Level.self)
    }
    func step(_ levels: CommonTable<Level>) -> Query<Level> {
      Query { (parent: Columns<Level>, child: Columns<Folder>) in
        From(levels.as(parent))
        Join(child, on: child.$parentID == parent.$id)
        Select(child.$id, (parent.$depth + 1).as("depth"), into: Level.self)
      }
    }
    func query(_ levels: CommonTable<Level>) -> Query<Int> {
      Query { (level: Columns<Level>) in
        With(levels)
        From(levels.as(level))
        Select(level.$id)
      }
    }
    let levels = CommonTable("levels", startingWith: start, step)
    #expect(try db.fetch(query(levels)) == [1, 2, 3, 4])
    try music.expect(
      query(levels.order(by: \.$depth, .descending).limit(3)),
      """
      WITH RECURSIVE "levels"("id", "depth") AS (SELECT "id" AS "id", ? AS "depth" FROM "Folder" \
      WHERE "parentID" IS NULL UNION ALL SELECT "Folder"."id" AS "id", "levels"."depth" + ? AS \
      "depth" FROM "levels" JOIN "Folder" ON "Folder"."parentID" IS "levels"."id" \
      ORDER BY "depth" DESC LIMIT ?) SELECT "id" FROM "levels"
      """, [1, 2, 4])
    #expect(try db.fetch(query(levels.limit(2).limit(nil))).count == 4)
    let plain = CommonTable("plain", Folder.all).order(by: \.$name, .descending).limit(2)
    #expect(
      try db.fetch(
        Query { (folder: Columns<Folder>) in
          With(plain)
          From(plain.as(folder))
          Select(folder.$name)
        }) == ["root", "c"])
    let limited = CommonTable("levels", startingWith: start) { step($0).limit(1) }
    let error = #expect(throws: QueryError.self) { try db.fetch(query(limited)) }
    #expect(error?.message.contains("the step of the recursive table levels") == true)
  }

  @Test("a common table may be materialized or not, and may use another common table")
  func several() throws {
    let albums = CommonTable("albums", Album.where { $0.$id < 4 }, materialized: true)
    let first = CommonTable(
      "first",
      Query { (album: Columns<Album>) in
        From(albums.as(album))
        OrderBy(album.$id)
        Limit(1)
        Select(album)
      }, materialized: false)
    try music.expect(
      Query { (album: Columns<Album>) in
        With(albums)
        With(first)
        From(first.as(album))
        Select(album)
      },
      """
      WITH "albums"("id", "name") AS MATERIALIZED (SELECT "id", "name" FROM "Album" \
      WHERE "id" < ?), "first"("id", "name") AS NOT MATERIALIZED (SELECT "id", "name" \
      FROM "albums" ORDER BY "id" LIMIT ?) SELECT "id", "name" FROM "first"
      """, [Music.albums[0]])
  }

  @Test("a recursive common table returns a tree of rows with their depth")
  func tree() throws {
    let levels = CommonTable(
      "levels",
      startingWith: Query { (root: Columns<Folder>) in
        From(root)
        Where { root.$parentID == nil }
        Select(root.$id, SQLExpression(0).as("depth"), into: Level.self)
      }
    ) { levels in
      Query { (parent: Columns<Level>, child: Columns<Folder>) in
        From(levels.as(parent))
        Join(child, on: child.$parentID == parent.$id.optional)
        Select(child.$id, (parent.$depth + 1).as("depth"), into: Level.self)
      }
    }
    try music.expect(
      Query { (level: Columns<Level>, folder: Columns<Folder>) in
        With(levels)
        From(levels.as(level))
        Join(folder, on: folder.$id == level.$id)
        OrderBy(level.$depth)
        OrderBy(folder.$name)
        Select(folder.$name, level.$depth)
      },
      """
      WITH RECURSIVE "levels"("id", "depth") AS (SELECT "id" AS "id", ? AS "depth" FROM "Folder" \
      WHERE "parentID" IS NULL UNION ALL SELECT "Folder"."id" AS "id", "levels"."depth" + ? AS \
      "depth" FROM "levels" JOIN "Folder" ON "Folder"."parentID" IS "levels"."id") \
      SELECT "Folder"."name", "levels"."depth" FROM "levels" JOIN "Folder" \
      ON "Folder"."id" = "levels"."id" ORDER BY "levels"."depth", "Folder"."name"
      """, ["root 0", "a 1", "b 1", "c 2"]
    ) { "\($0.0) \($0.1)" }
  }

  @Test("a recursive common table with UNION ends on a circle")
  func circle() throws {
    try db.run(Folder.update { $0.$parentID = 4 }.where { $0.$id == 1 })
    let above = CommonTable(
      "above", startingWith: Folder.where { $0.$id == 2 }.select(into: Key.self),
      distinct: true
    ) { above in
      Query { (below: Columns<Key>, child: Columns<Folder>, folder: Columns<Folder>) in
        From(above.as(below))
        Join(child, on: child.$id == below.$id)
        Join(folder, on: folder.$id.optional == child.$parentID)
        Select(folder.$id, into: Key.self)
      }
    }
    let query = Query { (row: Columns<Key>) in
      With(above)
      From(above.as(row))
      OrderBy(row.$id)
      Select(row.$id)
    }
    #expect(try query.sql.text.contains(" UNION SELECT"))
    #expect(try db.fetch(query) == [1, 2, 4])
  }

  @Test("a recursive common table can count numbers, and works with count and first")
  func numbers() throws {
    func numbers(upTo last: Int) -> Query<Number> {
      let numbers = CommonTable(
        "numbers",
        startingWith: Query { (album: Columns<Album>) in
          From(album)
          Limit(1)
          Select(SQLExpression(1).as("n"), into: Number.self)
        }
      ) { numbers in
        Query { (number: Columns<Number>) in
          From(numbers.as(number))
          Where { number.$n < last }
          Select((number.$n + 1).as("n"), into: Number.self)
        }
      }
      return Query { (number: Columns<Number>) in
        With(numbers)
        From(numbers.as(number))
        Select(number)
      }
    }
    #expect(try db.fetch(numbers(upTo: 100)).map(\.n) == Array(1...100))
    #expect(try db.count(numbers(upTo: 1_000)) == 1_000)
    #expect(try db.first(numbers(upTo: 9))?.n == 1)
  }

  @Test("a missing, duplicate or conflicting common table throws an error that names it")
  func mistakes() throws {
    let one = CommonTable("one", Album.all)
    let twin = CommonTable("ONE", Album.all)
    let shadow = CommonTable("album", Album.all)
    func message(_ query: Query<Album>) -> String? {
      let error = #expect(throws: QueryError.self) { try query.sql }
      #expect(throws: QueryError.self) { try db.fetch(query) }
      return error?.message
    }
    #expect(
      message(
        Query { (album: Columns<Album>) in
          From(one.as(album))
          Select(album)
        }) == "the common table one is in FROM or a join, but the query has no With(…) for it")
    #expect(
      message(
        Query { (album: Columns<Album>) in
          With(one)
          With(twin)
          From(one.as(album))
          Select(album)
        }) == "WITH ONE: there are two common tables of that name")
    #expect(
      message(
        Query { (album: Columns<Album>) in
          With(shadow)
          From(album)
          Select(album)
        }) == "WITH Album: the query also uses a table of that name; rename the common table")
    // Two common tables with the same name are still distinguished.
    let other = CommonTable("one", Album.where { $0.$id == 1 })
    let right = Query { (album: Columns<Album>) in
      With(one)
      From(one.as(album))
      Select(album)
    }
    #expect(try db.fetch(right).count == 3)
    #expect(
      message(
        Query { (album: Columns<Album>) in
          With(one)
          From(other.as(album))
          Select(album)
        })?.contains("has no With(…) for it") == true)
  }
}
