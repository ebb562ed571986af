import Dispatch
import Foundation
import TestRun
import Testing

@testable import SQLCore

@Suite(
  "Readers that keep their snapshots, beside the sqlite3 shell", .blocking,
  .enabled(if: SQLiteShell.installed != nil, "the sqlite3 shell is not installed"))
struct KeptSnapshotShellTests {
  let folder: TemporaryFolder
  let shell: SQLiteShell

  init() throws {
    folder = try TemporaryFolder()
    shell = try #require(SQLiteShell.installed)
  }

  private func open(_ configuration: Configuration) throws -> Database {
    let db = try Database(path: folder.file(), configuration: configuration)
    try db.makeItems(10)
    return db
  }

  @Test("the shell truncates the log while reads follow each other without a pause")
  func withoutPause() throws {
    let db = try open(Configuration())
    try db.keepSnapshot()
    let isOver = Flag()
    let ended = DispatchSemaphore(value: 0)
    startThread {
      while !isOver.isSet { _ = try? db.countOnce() }
      ended.signal()
    }
    for count in 11...15 {
      // The shell waits for readers. Its last three numbers: not busy, and an empty log.
      let printed = try shell.run(
        """
        PRAGMA busy_timeout = 3600000;
        INSERT INTO item (name) VALUES ('shell');
        PRAGMA wal_checkpoint(TRUNCATE);
        """, on: folder.file())
      #expect(printed == "3600000\n0|0|0\n")
      #expect(folder.size("database.sqlite-wal") == 0)
      #expect(try db.countOnce() == count)
    }
    isOver.set()
    ended.wait()
  }

  @Test("once a database is idle, the shell truncates its log at once")
  func idle() throws {
    var configuration = Configuration()
    configuration.busyTimeout = .zero
    let db = try open(configuration)
    try db.keepSnapshot()
    try db.makeItems(1)
    try db.keepSnapshot()
    while db.keepsSnapshot || db.looksForUnusedSnapshots { sched_yield() }
    #expect(try shell.run("PRAGMA wal_checkpoint(TRUNCATE)", on: folder.file()) == "0|0|0\n")
    #expect(folder.size("database.sqlite-wal") == 0)
  }

  @Test("a kept snapshot keeps the shell from truncating the log, until it ends")
  func kept() throws {
    let db = try open(.keeping)
    try db.makeItems(1)
    try db.keepSnapshot()
    let printed = try shell.run("PRAGMA wal_checkpoint(TRUNCATE)", on: folder.file())
    #expect(printed.hasPrefix("1|"))
    #expect(try db.checkpoint(.truncate).isComplete)
    #expect(try shell.run("PRAGMA wal_checkpoint(TRUNCATE)", on: folder.file()) == "0|0|0\n")
  }

  @Test("each read sees what the shell committed before it")
  func commits() throws {
    let db = try open(.keeping)
    for count in 11...15 {
      try db.keepSnapshot()
      _ = try shell.run("INSERT INTO item (name) VALUES ('shell')", on: folder.file())
      #expect(try db.countOnce() == count)
    }
  }
}
