import ChangeObservation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@Suite("Commits by other connections", .blocking)
struct FileWatchTests {
  @Test("a commit by another connection is noticed, and the result is fetched again")
  func otherConnection() async throws {
    let db = try Database.temporary(models: [Note.self])
    let path = try #require(db.path)
    var titles = db.observe(Note.select(\.$title)).makeAsyncIterator()
    #expect(try await titles.next() == [])
    let other = try Connection(path: path)
    try other.execute("INSERT INTO Note (id, title, stars) VALUES (1, 'from outside', 0)")
    #expect(try await titles.next() == ["from outside"])
    // The log existed before, and this process's own writes are not taken for foreign ones.
    try await db.insert(Note(title: "from inside"))
    #expect(try await titles.next() == ["from outside", "from inside"])
    try other.execute("DELETE FROM Note WHERE id = 1")
    #expect(try await titles.next() == ["from inside"])
  }

  @Test("the commits of a second process are noticed, up to the last one")
  func secondProcess() async throws {
    let folder = try TemporaryPath()
    let db = try Database(path: folder.path)
    try await db.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT)")
    var names = db.observe(sql: "SELECT name FROM item").makeAsyncIterator()
    #expect(try await names.next()?.count == 0)
    let other = try OtherProcess.add(200, to: folder.path)
    while let rows = try await names.next(), rows.count < 200 {}
    // A commit of this process among theirs.
    try await db.execute("INSERT INTO item (name) VALUES ('own')")
    #expect(try await names.next()?.count == 201)
    other.waitUntilExit()
    #expect(other.terminationStatus == 0)
  }

  @Test("a view that another connection replaced is followed in its new form")
  func otherSchema() async throws {
    let db = try Database.temporary(models: [Note.self, Tagging.self])
    try await db.execute("CREATE VIEW Names AS SELECT title AS name FROM Note")
    let path = try #require(db.path)
    var names = db.observe(sql: "SELECT name FROM Names").makeAsyncIterator()
    #expect(try await names.next()?.isEmpty == true)
    let other = try Connection(path: path)
    try other.execute(
      """
      BEGIN;
      DROP VIEW Names;
      CREATE VIEW Names AS SELECT tag AS name FROM Tagging;
      INSERT INTO Note (id, title, stars) VALUES (1, 'x', 0);
      INSERT INTO Tagging (note, tag, weight) VALUES (1, 'a', 1);
      COMMIT;
      """)
    #expect(try await names.next()?.map { $0.values } == [["a"]])
    try await db.execute("UPDATE Tagging SET tag = 'b'")
    #expect(try await names.next()?.map { $0.values } == [["b"]])
  }

  @Test("a stream of changes reports that something changed elsewhere", .needs(.preUpdateHook))
  func stream() async throws {
    let db = try Database.temporary(models: [Note.self])
    let path = try #require(db.path)
    var changes = db.changes(of: Note.self).makeAsyncIterator()
    // Commits before the first check of the file are not reported.
    let other = try Connection(path: path)
    var isReported = false
    var id = 0
    while !isReported {
      id += 1
      try other.execute("INSERT INTO Note (id, title, stars) VALUES (\(id), 'x', 0)")
      try await db.execute("UPDATE Note SET stars = stars + 1 WHERE id = \(id)")
      while let reported = await changes.next() {
        if reported.events == [.changedElsewhere] { isReported = true }
        if reported.isComplete { break }
      }
    }
    #expect(isReported)
  }
}
