import Foundation
import Observation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@testable import ChangeObservation

@Suite("Maintained queries with included rows", .needs(.preUpdateHook))
struct MaintainedIncludingTests {
  /// Makes the tables, with 20 teams, 40 writers and 400 posts with one mark each. In
  /// memory, no other connection can commit, so that only the first commit causes a fetch.
  private func database(indexed: Bool = true) async throws -> Database {
    let db = try Database.inMemory(configuration: .relaxed)
    try await db.execute(
      """
      \(unsafe: JoinTables.creation)
      WITH n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 399)
        INSERT INTO JoinPost SELECT i, 'w' || (i % 40), NULL, printf('t%03d', i), i % 5 FROM n;
      INSERT INTO JoinWriter SELECT DISTINCT author, substr(author, 2) % 20, 0 FROM JoinPost;
      INSERT INTO JoinTeam SELECT DISTINCT team, 'team ' || team FROM JoinWriter;
      INSERT INTO JoinMark SELECT id, 'w' || (id % 40), 1 FROM JoinPost;
      """)
    if indexed {
      try await db.execute(
        """
        CREATE INDEX teams ON JoinWriter (team); CREATE INDEX authors ON JoinPost (author);
        CREATE INDEX tags ON JoinMark (tag)
        """)
    }
    return db
  }

  private static let byWriter = JoinWriter.order(by: \.$score).including(
    JoinPost.order(by: \.$stars, .descending).limit(3), by: \.$author)

  private static let byTeam = JoinTeam.all.including(
    JoinWriter.all.including(JoinPost.where { $0.$stars > 1 }, by: \.$author), by: \.$team)

  private static let throughMarks = JoinWriter.all.including(
    JoinPost.order(by: \.$title), through: JoinMark.self, from: \.$tag, to: \.$post)

  /// Begins to watch a query, and makes a commit that it does not notice: after the first commit the
  /// result is fetched, since it may contain that commit.
  private func watch<M, each Part>(
    _ query: Including<M, repeat each Part>, in db: Database
  ) async throws -> QueryWatch<(M, repeat each Part)> {
    let watch = QueryWatch(LiveSource(query._included), in: db)
    _ = try await watch.next()
    try await db.execute(
      """
      INSERT INTO JoinPost VALUES (-1, NULL, NULL, 't', 0); INSERT INTO JoinTeam VALUES (-1, '');
      DELETE FROM JoinPost WHERE id = -1; DELETE FROM JoinTeam WHERE id = -1;
      """)
    _ = try await watch.update()
    #expect(watch.isMaintained)
    return watch
  }

  @Test("a child that changes, comes, goes or moves updates its parents, and nothing is fetched")
  func children() async throws {
    let db = try await database()
    let watch = try await watch(Self.byWriter, in: db)
    let fetches = watch.fetchCount
    try await db.execute("UPDATE JoinPost SET stars = 9 WHERE id = 80")
    var result = try #require(try await watch.update())
    #expect(result.difference.updated == [0] && result.difference.inserted.isEmpty)
    #expect(result[0].0.name == "w0" && result[0].1.map(\.id) == [80, 0, 40])
    try await db.execute("UPDATE JoinPost SET author = 'w1' WHERE id = 80")
    result = try #require(try await watch.update())
    #expect(result.difference.updated.count == 2)
    #expect(Array(result).first { $0.0.name == "w1" }?.1.first?.id == 80)
    #expect(result[0].1.map(\.id) == [0, 40, 120])
    try await db.execute("DELETE FROM JoinPost WHERE id = 0")
    #expect(try await watch.update()?[0].1.map(\.id) == [40, 120, 160])
    try await db.execute("UPDATE JoinPost SET stars = -1 WHERE id = 240")
    #expect(try await watch.update() == nil, "the post is behind the limit of its writer")
    #expect(watch.fetchCount == fetches)
  }

  @Test("parents come, go and move with their children")
  func parents() async throws {
    let db = try await database()
    let watch = try await watch(Self.byWriter, in: db)
    let fetches = watch.fetchCount
    try await db.execute("UPDATE JoinWriter SET score = 1 WHERE name = 'w0'")
    var result = try #require(try await watch.update())
    #expect(result.difference.moved == [.init(origin: 0, destination: 39)])
    #expect(result[39].1.map(\.id) == [0, 40, 80])
    try await db.execute("DELETE FROM JoinWriter WHERE name = 'w0'")
    #expect(try await watch.update()?.difference.removed == [39])
    try await db.execute("UPDATE JoinPost SET title = 'unseen' WHERE id = 0")
    #expect(try await watch.update() == nil, "no held writer has the post")
    try await db.execute("INSERT INTO JoinWriter VALUES ('w0', 1, -1)")
    result = try #require(try await watch.update())
    #expect(result.difference.inserted == [0] && result[0].1.first?.title == "unseen")
    #expect(watch.fetchCount == fetches)
  }

  @Test("a row that an included row includes updates the parent of its parent")
  func nested() async throws {
    let db = try await database()
    let watch = try await watch(Self.byTeam, in: db)
    let fetches = watch.fetchCount
    try await db.execute("UPDATE JoinPost SET title = 'new' WHERE id = 3")
    var result = try #require(try await watch.update())
    #expect(result.difference.updated == [3])
    #expect(result[3].1.first { $0.0.name == "w3" }?.1.first?.title == "new")
    // The writer leaves the team with the changed post.
    try await db.execute(
      """
      UPDATE JoinPost SET title = 'newer' WHERE id = 3;
      UPDATE JoinWriter SET team = 4 WHERE name = 'w3';
      """)
    result = try #require(try await watch.update())
    #expect(result.difference.updated == [3, 4])
    #expect(result[3].1.map(\.0.name) == ["w23"])
    #expect(result[4].1.first { $0.0.name == "w3" }?.1.first?.title == "newer")
    try await db.execute("UPDATE JoinPost SET stars = 0, title = 'zero' WHERE id = 1")
    #expect(try await watch.update() == nil, "the included query leaves the post out")
    #expect(watch.fetchCount == fetches)
  }

  @Test("rows of a table between, and rows on its other side, update the parents that they lead to")
  func through() async throws {
    let db = try await database()
    let watch = try await watch(Self.throughMarks, in: db)
    let fetches = watch.fetchCount
    try await db.execute("UPDATE JoinPost SET title = 'a' WHERE id = 40")
    #expect(try await watch.update()?[0].1.first?.id == 40)
    try await db.execute("INSERT INTO JoinMark VALUES (40, 'w1', 1)")
    #expect(try await watch.update()?.difference.updated == [1])
    try await db.execute("UPDATE JoinPost SET title = 'b' WHERE id = 40")
    #expect(try await watch.update()?.difference.updated == [0, 1])
    try await db.execute("PRAGMA foreign_keys = ON; DELETE FROM JoinPost WHERE id = 40")
    #expect(try await watch.update()?.difference.updated == [0, 1])
    #expect(watch.fetchCount == fetches)
  }

  @Test("children belong to the parents whose keys their collation takes for equal")
  func collated() async throws {
    let db = try await database()
    try await db.execute(
      """
      DROP TABLE JoinWriter; DROP TABLE JoinMark;
      CREATE TABLE JoinWriter (name TEXT PRIMARY KEY NOT NULL COLLATE NOCASE, team INTEGER,
        score REAL);
      INSERT INTO JoinWriter SELECT DISTINCT author, 0, 0 FROM JoinPost;
      ALTER TABLE JoinPost RENAME TO Old;
      DROP INDEX authors;
      CREATE TABLE JoinPost (id INTEGER PRIMARY KEY, author TEXT COLLATE NOCASE, parent INTEGER,
        title TEXT NOT NULL, stars INTEGER NOT NULL);
      INSERT INTO JoinPost SELECT * FROM Old;
      CREATE INDEX authors ON JoinPost (author);
      """)
    let watch = try await watch(Self.byWriter, in: db)
    let fetches = watch.fetchCount
    try await db.execute("UPDATE JoinPost SET author = 'W1', stars = 9 WHERE id = 80")
    var result = try #require(try await watch.update())
    #expect(result.difference.updated.count == 2)
    #expect(Array(result).first { $0.0.name == "w1" }?.1.first?.id == 80)
    try await db.execute("UPDATE JoinWriter SET name = 'W1' WHERE name = 'w1'")
    result = try #require(try await watch.update())
    #expect(Array(result).first { $0.0.name == "W1" }?.1.first?.id == 80)
    try await db.execute("UPDATE JoinPost SET title = 'new' WHERE id = 80")
    #expect(try await watch.update()?.difference.updated.count == 1)
    #expect(watch.fetchCount == fetches)
  }

  private struct Album: Model {
    @PrimaryKey var id: UUID
    @Column var title: String

    static var schema: Schema<Album> { Stored(\.$id, as: .bytes) }
  }

  private struct Song: Model {
    @PrimaryKey var id: UUID
    @Column var albumID: UUID
    @Column var name: String

    static var schema: Schema<Song> {
      Stored(\.$id, as: .bytes)
      Stored(\.$albumID, as: .bytes)
      Index(\.$albumID)
    }
  }

  private struct Placement: Model {
    struct ID: Hashable, Sendable {
      var albumID: UUID
      var songID: UUID
    }
    @PrimaryKey var albumID: UUID
    @PrimaryKey var songID: UUID
    var id: ID { ID(albumID: albumID, songID: songID) }

    static var schema: Schema<Placement> {
      Stored(\.$albumID, as: .bytes)
      Stored(\.$songID, as: .bytes)
      Index(\.$songID)
    }
  }

  @Test("children belong to parents whose keys are BLOBs, also through a table between")
  func bytes() async throws {
    let db = try Database.inMemory(
      models: [Album.self, Song.self, Placement.self], configuration: .relaxed)
    let albums = ["a", "b"].map { Album(id: UUID(), title: $0) }
    let songs = (0..<4).map { Song(id: UUID(), albumID: albums[$0 % 2].id, name: "s\($0)") }
    try await db.insert(albums)
    try await db.insert(songs)
    try await db.insert(songs.map { Placement(albumID: $0.albumID, songID: $0.id) })
    let parents = Album.order(by: \.$title)
    let children = Song.order(by: \.$name)
    let direct = QueryWatch(
      LiveSource(parents.including(children, by: \.$albumID)._included), in: db)
    let placed = QueryWatch(
      LiveSource(
        parents.including(children, through: Placement.self, from: \.$albumID, to: \.$songID)
          ._included), in: db)
    for watch in [direct, placed] {
      _ = try await watch.next()
      #expect(watch.isMaintained)
    }
    // After the first commit the result is fetched, since it may contain that commit.
    try await db.execute("UPDATE Song SET name = 's0!' WHERE name = 's0'")
    for watch in [direct, placed] {
      let names = try await watch.update()?.map { $0.1.map(\.name) }
      #expect(names == [["s0!", "s2"], ["s1", "s3"]])
    }
    let fetches = [direct.fetchCount, placed.fetchCount]
    let other = albums[1].id
    try await db.run(Song.update { $0.$albumID = other }.where { $0.$name == "s2" })
    var names = try await direct.update()?.map { $0.1.map(\.name) }
    #expect(names == [["s0!"], ["s1", "s2", "s3"]])
    let found = try await placed.update()?.difference.updated
    #expect(found == [0])
    let gone = songs[1].id
    try await db.run(Placement.delete().where { $0.$songID == gone })
    names = try await placed.update()?.map { $0.1.map(\.name) }
    #expect(names == [["s0!", "s2"], ["s3"]])
    let found2 = try await direct.update()
    #expect(found2 == nil)
    #expect([direct.fetchCount, placed.fetchCount] == fetches)
  }

  @Test("the first fetches of a limited query with included rows have a reserve")
  func limited() async throws {
    let db = try await database()
    let query = JoinWriter.order(by: \.$name).limit(2).including(JoinPost.all, by: \.$author)
    let watch = try await watch(query, in: db)
    let fetches = watch.fetchCount
    try await db.execute("DELETE FROM JoinWriter WHERE name = 'w0'")
    var result = try #require(try await watch.update())
    #expect(result.map(\.0.name) == ["w1", "w10"] && result[1].1.count == 10)
    #expect(watch.fetchCount == fetches)
    try await db.execute("UPDATE JoinPost SET author = 'w10' WHERE id = 1")
    result = try #require(try await watch.update())
    #expect(result.map(\.1.count) == [9, 11])
    #expect(watch.fetchCount == fetches)
  }

  @Test("an explanation names all missing indexes, and the tables that lead to the parents")
  func explanations() async throws {
    let db = try await database(indexed: false)
    var explanation = try await db.observe(Self.byTeam).explanation
    #expect(!explanation.isMaintained)
    #expect(
      explanation.missingIndexes.map(\.sql) == [
        #"CREATE INDEX "JoinWriter_on_team" ON "JoinWriter" ("team")"#,
        #"CREATE INDEX "JoinPost_on_author_stars" ON "JoinPost" ("author", "stars")"#,
      ])
    for index in explanation.missingIndexes { try await db.execute(SQL(unsafe: index.sql)) }
    explanation = try await db.observe(Self.byTeam).explanation
    #expect(
      explanation.description
        == "Maintained: a commit that touches JoinTeam or JoinPost, JoinWriter loads only those "
        + "rows of JoinTeam again that this concerns, with what they include.")
    let folded = try await database()
    try await folded.execute(
      "DROP TABLE JoinTeam; CREATE TABLE JoinTeam (id TEXT PRIMARY KEY NOT NULL, title TEXT)")
    #expect(
      try await folded.observe(Self.byTeam).explanation.description
        == "Runs again after each commit that touches what it reads, because JoinWriter.team and "
        + "JoinTeam.id may be equal without being the same.")
  }

  @Test("LiveQuery and LiveModel show models with what they include, and single values")
  @MainActor
  func interface() async throws {
    let db = try await database()
    let live = LiveQuery(Self.byTeam, in: db)
    let model = LiveModel(Self.byTeam, 7, in: db)
    let count = LiveModel(JoinPost.where { $0.$stars > 1 }.select { $0.count() }, in: db)
    await until { live.isLoaded && model.isLoaded && count.isLoaded }
    #expect(model.model?.1.count == 2 && live.rows.count == 20 && count.model == 240)
    try await db.execute("UPDATE JoinPost SET stars = 0 WHERE id = 7")
    await until { count.model == 239 && model.model?.1.last?.1.count == 9 }
    await until { live.rows[7].1.last?.1.count == 9 }
    #expect(try await model.explanation.isMaintained)
    #expect(try await live.explanation.isMaintained)
    #expect(try await count.explanation.isMaintained)
    try await db.execute("DELETE FROM JoinTeam WHERE id = 7")
    await until { model.model == nil && live.rows.count == 19 }
    #expect(model.isLoaded)
  }
}
