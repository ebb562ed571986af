import Foundation
import TestRun
import Testing

@testable import SQLCore

@Suite("Several databases on one file", .blocking)
struct SeveralProcessesTests {
  let folder: TemporaryFolder
  let db: Database

  init() throws {
    folder = try TemporaryFolder()
    db = try Database(path: folder.file(), configuration: .patient)
    try db.makeItems(10)
  }

  @Test("two databases of one process see each other's commits")
  func twoValues() async throws {
    let other = try Database(path: folder.file(), configuration: .patient)
    try await withThrowingTaskGroup { group in
      for database in [db, other] {
        for _ in 0..<50 {
          group.addTask { try await database.execute("INSERT INTO item (name) VALUES (1)") }
        }
      }
      try await group.waitForAll()
    }
    #expect(try db.itemCount() == 110)
    #expect(try other.itemCount() == 110)
  }

  @Test("releasing one database leaves the other's locks and log in place")
  func oneCloses() throws {
    var other: Database? = try Database(path: folder.file())
    #expect(try other?.itemCount() == 10)
    try db.read { connection in
      let before = try connection.rows("SELECT * FROM item").count
      other = nil
      try onAnotherThread { try db.makeItems(1) }
      #expect(try connection.rows("SELECT * FROM item").count == before)
    }
    #expect(try db.itemCount() == 11)
    #expect(folder.fileNames.contains("database.sqlite-wal"))
  }

  @Test("several processes write at once and lose nothing")
  func severalWriters() throws {
    let children = try (0..<3).map { _ in try ChildProcess("add", folder.file(), "50") }
    for _ in 0..<50 { try db.execute("INSERT INTO item (name) VALUES ('parent')") }
    for child in children {
      #expect(child.line() == "done")
      #expect(child.wait() == 0)
    }
    #expect(try db.itemCount() == 210)
    #expect(try db.row("PRAGMA quick_check")?.get(String.self, at: 0) == "ok")
  }

  @Test("a writing process blocks no reader; a second writer throws busy after its timeout")
  func heldByAnother() throws {
    var configuration = Configuration()
    configuration.busyTimeout = .zero
    let impatient = try Database(path: folder.file(), configuration: configuration)
    let child = try ChildProcess("hold", folder.file())
    #expect(child.line() == "held")
    #expect(try impatient.itemCount() == 10)
    #expect(code { try impatient.makeItems(1) } == .busy)
    child.proceed()
    #expect(child.wait() == 0)
    try impatient.makeItems(1)
    #expect(try db.itemCount() == 11)
  }

  /// With a timeout of an hour, this test hangs if cancelling does not end the wait.
  @Test("cancelling the task ends the wait for another process", arguments: [true, false])
  func cancelled(alone: Bool) async throws {
    let db = try Database(path: folder.file(), configuration: .patient)
    let child = try ChildProcess("hold", folder.file())
    #expect(child.line() == "held")
    let task = Task {
      try await db.write(alone: alone) { try $0.execute("DELETE FROM item") }
    }
    while db.laneStatuses.writer.idle > 0 { await Task.yield() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    child.proceed()
    #expect(child.wait() == 0)
    // The connection is clean, and nothing was written.
    try await db.write { try $0.execute("INSERT INTO item (name) VALUES ('after')") }
    #expect(try db.itemCount() == 11)
  }

  @Test("a deadline ends the wait for another process")
  func deadline() async throws {
    let db = try Database(path: folder.file(), configuration: .patient)
    let child = try ChildProcess("hold", folder.file())
    #expect(child.line() == "held")
    #expect(throws: DeadlineExceeded.self) {
      try db.write(deadline: .milliseconds(20)) { try $0.execute("DELETE FROM item") }
    }
    await #expect(throws: DeadlineExceeded.self) {
      try await db.write(deadline: .milliseconds(20)) { try $0.execute("DELETE FROM item") }
    }
    child.proceed()
    #expect(child.wait() == 0)
    #expect(try db.itemCount() == 10)
  }

  @Test("without a deadline, the busy timeout ends the wait for another process")
  func timeout() async throws {
    let db = try Database(
      path: folder.file(), configuration: .with { $0.busyTimeout = .milliseconds(30) })
    let child = try ChildProcess("hold", folder.file())
    #expect(child.line() == "held")
    let start = ContinuousClock.now
    #expect(code { try db.makeItems(1) } == .busy)
    #expect(ContinuousClock.now - start >= .milliseconds(30))
    let error = await #expect(throws: DatabaseError.self) {
      try await db.write { try $0.execute("DELETE FROM item") }
    }
    #expect(error?.code.primary == .busy)
    child.proceed()
    #expect(child.wait() == 0)
    try db.makeItems(1)
    #expect(try db.itemCount() == 11)
  }

  @Test("a reading process keeps its snapshot and blocks no writer")
  func readByAnother() throws {
    let child = try ChildProcess("read", folder.file())
    #expect(child.line() == "[10]")
    try db.makeItems(5)
    child.proceed()
    #expect(child.line() == "[10]")
    #expect(child.wait() == 0)
    #expect(try db.itemCount() == 15)
  }

  @Test("a process that writes does not fail a backup; one that reads a copy keeps its snapshot")
  func backups() throws {
    let copy = folder.file("copy.sqlite")
    let writer = try ChildProcess("add", folder.file(), "100")
    try db.backup(to: copy, pagesPerStep: 1)
    #expect(writer.line() == "done")

    let reader = try ChildProcess("read", copy)
    let seen = reader.line()
    #expect(code { try db.backup(to: copy, overwriting: true) } == .busy)
    reader.proceed()
    #expect(reader.line() == seen)
    #expect(reader.wait() == 0)
    try db.backup(to: copy, overwriting: true)
    #expect(try Database(path: copy).content() == db.content())
  }
}
