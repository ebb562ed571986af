import CSQLite
import Dispatch
import Foundation
import TestRun
import Testing

@testable import SQLCore

@Suite("Readers that keep their snapshots: what a read sees", .blocking)
struct KeptSnapshotTests {
  let folder: TemporaryFolder
  let db: Database

  init() throws {
    folder = try TemporaryFolder()
    db = try Database(path: folder.file(), configuration: .keeping)
    try db.makeItems(10)
  }

  @Test("reads that follow one another use one transaction, until something is committed")
  func kept() throws {
    try db.keepSnapshot()
    let handle = try db.read { $0.core.handle }
    for _ in 0..<5 {
      #expect(sqlite3_txn_state(handle, "main") == SQLITE_TXN_READ)
      #expect(try db.countOnce() == 10)
      #expect(try db.read { try $0.value(Int.self, "SELECT count(*) FROM item") } == 10)
    }
    try db.makeItems(1)
    #expect(try db.countOnce() == 11)
    #expect(db.laneStatuses.reader.isWhole)
  }

  @Test("a read sees the write before it, in every form of both")
  func ownWrites() async throws {
    for count in 11...60 {
      try await db.write { try $0.execute("INSERT INTO item (name) VALUES ('own')") }
      let synchronous = try { [db] in (try db.countOnce(), try db.countOnce()) }()
      #expect(synchronous == (count, count))
      let items: SQL = "SELECT count(*) FROM item"
      #expect(try await db.read { try $0.value(Int.self, items) } == count)
      #expect(try await db.read(on: .background) { try $0.value(Int.self, items) } == count)
      #expect(try await db._readOnce(on: .caller, "", 0) { try $0.value(Int.self, items) } == count)
    }
  }

  @Test("a read sees the commits of other connections, and of other processes")
  func strangers() throws {
    let stranger = try Stranger(folder)
    for count in 11...60 {
      try db.keepSnapshot()
      try stranger.insert()
      #expect(try db.countOnce() == count)
    }
    for count in 61...63 {
      try db.keepSnapshot()
      let child = try ChildProcess("add", folder.file(), "1")
      #expect(child.line() == "done")
      #expect(try db.countOnce() == count)
      #expect(child.wait() == 0)
    }
  }

  @Test("a read sees the commits of a process that was killed")
  func killed() throws {
    for _ in 0..<3 {
      let child = try ChildProcess("commit", folder.file())
      _ = child.line()
      try db.keepSnapshot()
      let acknowledged = child.kill().compactMap { Int($0) }
      let last = try db._readOnce("", 0) { try $0.value(Int.self, "SELECT max(id) FROM item") }
      #expect(try #require(last) >= acknowledged.max() ?? 0)
    }
  }

  @Test("two statements of a read see the same commit, whatever is committed meanwhile")
  func unmixed() throws {
    try db.execute(
      "CREATE TABLE a (n); CREATE TABLE b (n); INSERT INTO a VALUES (0); INSERT INTO b VALUES (0)")
    let isOver = Flag()
    let ended = DispatchSemaphore(value: 0)
    startThread { [db] in
      while !isOver.isSet { try? db.execute("UPDATE a SET n = n + 1; UPDATE b SET n = n + 1") }
      ended.signal()
    }
    var last = 0
    for _ in 0..<2_000 {
      let (a, b) = try db.read { reader in
        (
          try reader.value(Int.self, "SELECT n FROM a"),
          try reader.value(Int.self, "SELECT n FROM b")
        )
      }
      #expect(a == b)
      #expect(try #require(a) >= last)
      last = a ?? last
    }
    isOver.set()
    ended.wait()
    #expect(db.laneStatuses.reader.isWhole)
  }

  @Test("a commit during a read ends its snapshot after the read")
  func commitInside() throws {
    try db.keepSnapshot()
    try db.read { reader in
      #expect(try reader.value(Int.self, "SELECT count(*) FROM item") == 10)
      try onAnotherThread { [db] in try db.makeItems(1) }
      #expect(try reader.value(Int.self, "SELECT count(*) FROM item") == 10)
    }
    #expect(!db.keepsSnapshot)
    #expect(try db.countOnce() == 11)
  }

  @Test("a read sees a changed schema, and functions and collations that were just registered")
  func definitions() throws {
    try db.keepSnapshot()
    try Stranger(folder).connection.execute("ALTER TABLE item RENAME COLUMN name TO title")
    #expect(try db.read { try $0.value(String.self, "SELECT title FROM item LIMIT 1") } == "first")
    try db.keepSnapshot()
    try db.collation("reversed") { left, right in
      left == right ? .orderedSame : left < right ? .orderedDescending : .orderedAscending
    }
    try db.makeItemsNamed("a", "b")
    for _ in 0..<3 {
      let sql: SQL = "SELECT title FROM item ORDER BY title COLLATE reversed LIMIT 1"
      #expect(try db._readOnce("", 0) { try $0.value(String.self, sql) } == "first")
    }
  }

  @Test("statements outside a transaction, and streams, run in none")
  func outside() async throws {
    try keepSnapshotSynchronously()
    let isInTransaction = try await db.readWithoutTransaction { reader in
      defer { _ = try? reader.execute("ROLLBACK") }
      let isInTransaction = try reader.isInTransaction
      try reader.execute("BEGIN")
      return isInTransaction
    }
    #expect(!isInTransaction)
    #expect(!db.keepsSnapshot)
    try keepSnapshotSynchronously()
    #expect(try await db.row("SELECT count(*) FROM item")?[0] == 10)
    try keepSnapshotSynchronously()
    try Stranger(folder).insert()
    for try await count in db.stream(Int.self, "SELECT count(*) FROM item") {
      #expect(count == 11)
    }
    let snapshot = try await db.makeSnapshot()
    try Stranger(folder).insert()
    for _ in 0..<3 {
      let count = try await snapshot._readOnce(on: .caller, "", 0) {
        try $0.value(Int.self, "SELECT count(*) FROM item")
      }
      #expect(count == 11)
    }
  }

  private func keepSnapshotSynchronously() throws { try db.keepSnapshot() }

  @Test("an access that fails, is cancelled or is late leaves the connection whole")
  func failures() async throws {
    try keepSnapshotSynchronously()
    #expect(throws: Abandoned.self) { try db.read { _ in throw Abandoned() } }
    #expect(!db.keepsSnapshot)
    try keepSnapshotSynchronously()
    #expect(throws: DatabaseError.self) {
      try db._readOnce("", 0) { try $0.rows("SELECT nothing") }
    }
    #expect(!db.keepsSnapshot)
    try keepSnapshotSynchronously()
    #expect(throws: DeadlineExceeded.self) { try db.read(deadline: .zero) { _ in } }
    let task = Task { [db] in
      withUnsafeCurrentTask { $0?.cancel() }
      try await db.read { _ in }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    db.interrupt()
    #expect(throws: DatabaseError.self) { try db.read { try $0.execute("BEGIN") } }
    #expect(throws: DatabaseError.self) { try db.read { try $0.execute("COMMIT") } }
    try keepSnapshotSynchronously()
    #expect(throws: DatabaseError.self) { try db.read { try $0.execute("DELETE FROM item") } }
    #expect(db.laneStatuses.reader.isWhole)
    let count = try await db.read { try $0.value(Int.self, "SELECT count(*) FROM item") }
    #expect(count == 10)
  }

  @Test("a connection of a closure that has returned throws, although its transaction is open")
  func leases() throws {
    try db.keepSnapshot()
    var kept: Connection?
    try db.read { kept = $0 }
    #expect(db.keepsSnapshot)
    #expect(throws: DatabaseError.self) { try kept?.rows("SELECT 1") }
    try db.read { _ = try $0.prepare("SELECT name FROM item").step() }
    #expect(db.laneStatuses.reader.isWhole)
  }
}

extension Database {
  fileprivate func makeItemsNamed(_ names: String...) throws {
    for name in names { try execute("INSERT INTO item (title) VALUES (\(name))") }
  }
}
