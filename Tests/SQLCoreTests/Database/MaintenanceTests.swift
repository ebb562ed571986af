import Foundation
import SQLCore
import Testing

@Suite("Maintenance")
struct MaintenanceTests {
  @Test("a vacuum releases unused pages", arguments: [true, false])
  func vacuum(inMemory: Bool) async throws {
    let db = inMemory ? try Database.inMemory() : try Database.temporary()
    try db.makeItems()
    func pageCount() throws -> Int {
      try db.fetch(Int.self, "SELECT page_count FROM pragma_page_count").first ?? 0
    }
    let before = try pageCount()
    try await db.execute("DELETE FROM item WHERE id > 10")
    #expect(try pageCount() == before)
    try synchronously { try db.vacuum() }
    #expect(try pageCount() < before / 2)
    #expect(try db.itemCount() == 10)
    try await db.execute("DELETE FROM item")
    try await db.vacuum()
    #expect(try db.itemCount() == 0)
  }

  @Test("a vacuum shrinks the file at once and empties the log")
  func vacuumedFile() throws {
    let folder = try TemporaryFolder()
    let db = try Database(path: folder.file())
    try db.makeItems()
    try db.checkpoint(.truncate)
    let before = folder.size()
    try db.execute("DELETE FROM item")
    try db.vacuum()
    #expect(folder.size() < before / 2)
    #expect(folder.size("database.sqlite-wal") == 0)
  }

  @Test(
    "a vacuum into a file copies the content and replaces a file only with `overwriting`",
    arguments: [true, false])
  func vacuumInto(inMemory: Bool) async throws {
    let folder = try TemporaryFolder()
    let db = inMemory ? try Database.inMemory() : try Database(path: folder.file())
    try db.makeItems()
    try await db.execute("DELETE FROM item WHERE id > 10")
    let copy = folder.file("it's a copy.sqlite")
    try synchronously { try db.vacuum(into: copy) }
    #expect(try Database(path: copy).content() == db.content())
    #expect(code { try db.vacuum(into: copy) } == .cannotOpen)
    try await db.execute("DELETE FROM item WHERE id > 5")
    try await db.vacuum(into: copy, overwriting: true)
    #expect(try Database(path: copy).itemCount() == 5)
    // The connection that made the copy writes and reads as before.
    try db.makeItems(1)
    #expect(code { _ = try db.rows("ATTACH ':memory:' AS other") } != nil)
  }

  @Test("a copy of an index with a collation that is registered on the database")
  func registeredCollation() throws {
    let folder = try TemporaryFolder()
    let db = try Database(path: folder.file())
    try db.collation("backwards") {
      $0 == $1 ? .orderedSame : $0 > $1 ? .orderedAscending : .orderedDescending
    }
    try db.execute(
      "CREATE TABLE word (w TEXT COLLATE backwards); CREATE INDEX words ON word (w)")
    try db.execute("INSERT INTO word VALUES ('a'), ('c'), ('b')")
    for name in ["vacuum", "backup"] {
      let path = folder.file(name)
      if name == "vacuum" { try db.vacuum(into: path) } else { try db.backup(to: path) }
      let copy = try Database(path: path)
      let found = try copy.fetch(Int.self, "SELECT count(*) FROM word")
      #expect(found == [3])
    }
    let snapshot = try db.makeSnapshot()
    let found2 = try snapshot.fetch(String.self, "SELECT w FROM word ORDER BY w")
    #expect(found2 == ["c", "b", "a"])
  }

  @Test("a read-only database can be vacuumed into a file, but not in place")
  func readOnly() throws {
    let folder = try TemporaryFolder()
    try Database(path: folder.file()).makeItems(10)
    var configuration = Configuration()
    configuration.isReadOnly = true
    let db = try Database(path: folder.file(), configuration: configuration)
    #expect(code { try db.vacuum() } == .readOnly)
    #expect(code { try db.checkpoint() } == .readOnly)
    try db.vacuum(into: folder.file("copy.sqlite"))
    #expect(try Database(path: folder.file("copy.sqlite")).itemCount() == 10)
  }

  @Test("a checkpoint reports the frames that it found and copied")
  func checkpoint() async throws {
    let folder = try TemporaryFolder()
    let db = try Database(path: folder.file())
    try db.makeItems(10)
    let first = try synchronously { try db.checkpoint() }
    #expect(first.walFrameCount > 0)
    #expect(first.isComplete && !first.isBusy)
    #expect(folder.size("database.sqlite-wal") > 0)
    let last = try await db.checkpoint(.truncate)
    #expect(last == CheckpointResult(isBusy: false, walFrameCount: 0, checkpointedFrameCount: 0))
    #expect(folder.size("database.sqlite-wal") == 0)
  }

  @Test("a checkpoint blocked by a reader reports it as a result, not an error")
  func busyCheckpoint() throws {
    let folder = try TemporaryFolder()
    var configuration = Configuration()
    configuration.busyTimeout = .zero
    let db = try Database(path: folder.file(), configuration: configuration)
    let other = try Database(path: folder.file())
    try db.makeItems(10)
    try other.read { reader in
      #expect(try reader.rows("SELECT * FROM item").count == 10)
      try db.makeItems(10)
      let result = try db.checkpoint(.truncate)
      #expect(result.isBusy && !result.isComplete)
      #expect(result.checkpointedFrameCount < result.walFrameCount)
      // The frames before the reader's snapshot are copied all the same.
      #expect(result.checkpointedFrameCount > 0)
    }
    #expect(try !db.checkpoint(.truncate).isBusy)
  }

  @Test("a checkpoint of a database in memory finds no frames", arguments: CheckpointMode.allCases)
  func checkpointInMemory(mode: CheckpointMode) throws {
    let db = try Database.inMemory()
    try db.makeItems(10)
    let result = try db.checkpoint(mode)
    #expect(result.walFrameCount == 0 && result.isComplete && !result.isBusy)
  }
}

extension TemporaryFolder {
  /// The size of a file in bytes, or 0 if the file does not exist.
  func size(_ name: String = "database.sqlite") -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: file(name))
    return attributes?[.size] as? Int ?? 0
  }
}
