import QueryDSL
import SQLCore
import Testing

@testable import ChangeObservation

@Suite("Observations that are dropped")
struct ReleasedObservationTests {
  private func database() async throws -> Database {
    let db = try Database.temporary(configuration: .relaxed)
    try await db.execute(
      """
      \(unsafe: JoinTables.creation)
      CREATE INDEX authors ON JoinPost (author);
      INSERT INTO JoinWriter VALUES ('a', 1, 0), ('b', 1, 0);
      INSERT INTO JoinPost VALUES (1, 'a', NULL, 't', 0), (2, 'a', NULL, 't', 0),
        (3, 'b', NULL, 't', 0);
      """)
    return db
  }

  /// An object that is expected to be freed.
  private struct Freed {
    let name: String
    weak var object: AnyObject?
  }

  /// Follows a query over a commit, drops it, and returns what it held.
  private func follow<Row>(
    _ source: LiveSource<Row>, in db: Database, _ name: String
  ) async throws -> [Freed] {
    let watch = QueryWatch(source, in: db)
    let first = try #require(try await watch.next())
    try await db.execute("UPDATE JoinPost SET stars = stars + 1 WHERE id = 1")
    _ = try await watch.update()
    try await db.execute("UPDATE JoinPost SET stars = stars + 1 WHERE id = 1")
    let second = try #require(try await watch.update())
    #expect(watch.isMaintained == SQLiteLibrary.Feature.preUpdateHook.isAvailable)
    #expect(try db.writing { $0.observer != nil })
    return [
      Freed(name: "\(name): the watch", object: watch),
      Freed(name: "\(name): its tables", object: watch.watch),
      Freed(name: "\(name): the first row", object: first.entries[0]),
      Freed(name: "\(name): the last row", object: second.entries[second.count - 1]),
    ]
  }

  @Test("dropping an observation frees its rows and its subscription, whatever the query")
  func released() async throws {
    let db = try await database()
    let join = Query { (post: Columns<JoinPost>, writer: Columns<JoinWriter>) in
      From(post)
      Join(writer, on: post.$author.equals(writer.$name))
      OrderBy(post.$stars)
      Select(post, writer)
    }
    let groups = Query { (writer: Columns<JoinWriter>, post: OptionalColumns<JoinPost>) in
      From(writer)
      LeftJoin(post, on: post.$author.equals(writer.$name))
      GroupBy(writer.$name)
      Select(writer.$name, post.$stars.sum())
    }
    let included = JoinWriter.all.including(JoinPost.all, by: \.$author)
    var freed = try await follow(LiveSource(JoinPost.all), in: db, "rows")
    freed += try await follow(LiveSource(join), in: db, "join")
    freed += try await follow(
      LiveSource(JoinPost.select { $0.$stars.sum() }), in: db, "aggregate")
    freed += try await follow(LiveSource(groups), in: db, "groups")
    freed += try await follow(LiveSource(included._included), in: db, "included")
    for item in freed { #expect(item.object == nil, "\(item.name)") }
    #expect(try db.writing { $0.observer == nil })
  }
}
