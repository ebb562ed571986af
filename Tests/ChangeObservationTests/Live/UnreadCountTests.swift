import QueryDSL
import SQLCore
import TestRun
import Testing

@testable import ChangeObservation

private struct Feed: Model {
  @PrimaryKey var id: Int64
  @Column var title: String
}

private struct Entry: Model {
  @PrimaryKey var id: Int64
  @Column var feedID: Int64
}

/// A user has read an entry.
private struct ReadMark: Model {
  struct ID: Hashable, Sendable {
    var userID: Int64
    var entryID: Int64
  }
  @PrimaryKey var userID: Int64
  @PrimaryKey var entryID: Int64
  var id: ID { ID(userID: userID, entryID: entryID) }
}

private typealias Unread = Query<(Int64, String, Int)>

/// The unread entries of a user, for each feed.
private let user: Int64 = 7

/// Counts by a subquery for each feed.
private let byCorrelatedCount: Unread = Query { (feed: Columns<Feed>) in
  From(feed)
  OrderBy(feed.$title)
  Select(
    feed.$id, feed.$title,
    Entry.where { entry in
      entry.$feedID == feed.$id
      !ReadMark.where { $0.$entryID == entry.$id && $0.$userID == user }.exists()
    }.count())
}

/// Joins the marks of the user, and counts the entries without one.
private let byLeftJoin: Unread = Query {
  (feed: Columns<Feed>, entry: OptionalColumns<Entry>, mark: OptionalColumns<ReadMark>) in
  From(feed)
  LeftJoin(entry, on: entry.$feedID.equals(feed.$id))
  LeftJoin(mark, on: mark.$entryID.equals(entry.$id) && mark.$userID == user)
  GroupBy(feed.$id)
  OrderBy(feed.$title)
  Select(feed.$id, feed.$title, entry.$id.count().filter(mark.$entryID == nil))
}

private let byNotExists: Unread = Query {
  (feed: Columns<Feed>, entry: OptionalColumns<Entry>) in
  From(feed)
  LeftJoin(
    entry,
    on: entry.$feedID.equals(feed.$id)
      && !ReadMark.where { $0.$entryID.optional.equals(entry.$id) && $0.$userID == user }.exists())
  GroupBy(feed.$id)
  OrderBy(feed.$title)
  Select(feed.$id, feed.$title, entry.$id.count())
}

private let byNotIn: Unread = Query { (feed: Columns<Feed>) in
  From(feed)
  OrderBy(feed.$title)
  Select(
    feed.$id, feed.$title,
    Entry.where { entry in
      entry.$feedID == feed.$id
      !entry.$id.isIn(ReadMark.where { $0.$userID == user }.select(\.$entryID))
    }.count())
}

private let unreadEntries = Entry.where { entry in
  !ReadMark.where { $0.$entryID == entry.$id && $0.$userID == user }.exists()
}.order(by: \.$id).select(\.$id)

@Suite("Unread entries of a user, counted live", .needs(.preUpdateHook))
struct UnreadCountTests {
  private func database() async throws -> Database {
    // In memory, no other connection can commit, so that only the first commit causes a fetch.
    let db = try Database.inMemory(configuration: .relaxed)
    try await db.execute(
      """
      CREATE TABLE Feed (id INTEGER PRIMARY KEY, title TEXT NOT NULL);
      CREATE TABLE Entry (id INTEGER PRIMARY KEY,
        feedID INTEGER NOT NULL REFERENCES Feed ON DELETE CASCADE);
      CREATE INDEX entries ON Entry (feedID);
      CREATE TABLE ReadMark (userID INTEGER NOT NULL,
        entryID INTEGER NOT NULL REFERENCES Entry ON DELETE CASCADE,
        PRIMARY KEY (userID, entryID)) WITHOUT ROWID;
      CREATE INDEX readers ON ReadMark (entryID);
      INSERT INTO Feed VALUES (1, 'a'), (2, 'b'), (3, 'c');
      WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 90)
        INSERT INTO Entry SELECT i, i % 3 + 1 FROM n;
      INSERT INTO ReadMark SELECT 8, id FROM Entry;
      """)
    return db
  }

  @Test(
    "each way to write the count is maintained: a mark of another user, or of another entry",
    arguments: [byCorrelatedCount, byLeftJoin, byNotExists, byNotIn].indices)
  func counts(_ way: Int) async throws {
    let query = [byCorrelatedCount, byLeftJoin, byNotExists, byNotIn][way]
    let db = try await database()
    let explanation = try await db.observe(query).explanation
    #expect(explanation.isMaintained, "\(explanation)")
    let watch = QueryWatch(LiveSource(query), in: db)
    #expect(try await watch.next()?.map(\.2) == [30, 30, 30])
    try await db.execute("INSERT INTO ReadMark VALUES (7, 1), (7, 2)")
    #expect(try await watch.update()?.map(\.2) == [30, 29, 29])
    let fetches = watch.fetchCount
    // One of two marks goes: the entry of the other is still read.
    try await db.execute("DELETE FROM ReadMark WHERE userID = 7 AND entryID = 2")
    let restored = try #require(try await watch.update())
    #expect(restored.map(\.2) == [30, 29, 30])
    #expect(restored.difference.updated == [2] && restored.difference.inserted.isEmpty)
    try await db.execute("DELETE FROM ReadMark WHERE userID = 8 AND entryID = 5")
    #expect(try await watch.update() == nil)
    // An entry moves to another feed, with its mark.
    try await db.execute("UPDATE Entry SET feedID = 3 WHERE id = 3")
    #expect(try await watch.update()?.map(\.2) == [29, 29, 31])
    // The key of a mark changes.
    try await db.execute("UPDATE ReadMark SET entryID = 3 WHERE userID = 7")
    #expect(try await watch.update()?.map(\.2) == [29, 30, 30])
    // Entries and marks go with their feed.
    try await db.execute("PRAGMA foreign_keys = ON")
    try await db.execute("DELETE FROM Feed WHERE id = 3")
    #expect(try await watch.update()?.map(\.2) == [29, 30])
    try await db.execute("DELETE FROM Entry WHERE feedID = 1")
    #expect(try await watch.update()?.map(\.2) == [0, 30])
    try await db.execute("UPDATE Feed SET title = 'z' WHERE id = 1")
    #expect(try await watch.update()?.map(\.1) == ["b", "z"])
    #expect(watch.fetchCount == fetches)
  }

  @Test("a query in two subqueries leads to rows by the conditions that both have")
  func sharedQuery() async throws {
    let db = try await database()
    // The entries that reader 9 has read, and how many readers each of them has.
    let query = Query { (entry: Columns<Entry>) in
      let marks = ReadMark.where { $0.$entryID == entry.$id }
      From(entry)
      Where { marks.where { $0.$userID == 9 }.exists() }
      OrderBy(marks.count(), .descending)
      Select(entry.$id, marks.count())
    }
    let watch = QueryWatch(LiveSource(query), in: db)
    #expect(try await watch.next()?.isEmpty == true)
    #expect(watch.isMaintained)
    try await db.execute("INSERT INTO ReadMark VALUES (9, 1), (9, 2)")
    #expect(try await watch.update()?.map { "\($0)" } == ["(1, 2)", "(2, 2)"])
    let fetches = watch.fetchCount
    // The mark is of another reader: it counts, and does not decide which entries there are.
    try await db.execute("INSERT INTO ReadMark VALUES (5, 2)")
    #expect(try await watch.update()?.map { "\($0)" } == ["(2, 3)", "(1, 2)"])
    #expect(watch.fetchCount == fetches)
  }

  @Test("the list of the unread entries is maintained")
  func list() async throws {
    let db = try await database()
    let watch = QueryWatch(LiveSource(unreadEntries), in: db)
    #expect(try await watch.next()?.count == 90)
    try await db.execute("INSERT INTO ReadMark SELECT 7, id FROM Entry WHERE id > 4")
    #expect(try await watch.update().map(Array.init) == [1, 2, 3, 4])
    let fetches = watch.fetchCount
    try await db.execute("INSERT INTO ReadMark VALUES (7, 2), (7, 3)")
    #expect(try await watch.update().map(Array.init) == [1, 4])
    try await db.execute("DELETE FROM ReadMark WHERE entryID IN (3, 50)")
    #expect(try await watch.update().map(Array.init) == [1, 3, 4, 50])
    #expect(watch.fetchCount == fetches)
  }

  @Test("without the index of the entries of a feed, the count runs again and names the index")
  func missingIndex() async throws {
    let db = try await database()
    try await db.execute("DROP INDEX entries")
    let explanation = try await db.observe(byCorrelatedCount).explanation
    #expect(!explanation.isMaintained)
    #expect(
      explanation.missingIndexes.map(\.sql) == [
        #"CREATE INDEX "Entry_on_feedID" ON "Entry" ("feedID")"#
      ])
  }
}
