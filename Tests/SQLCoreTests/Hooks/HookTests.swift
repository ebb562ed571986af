import CSQLite
import Foundation
import TestRun
import Testing

@testable import SQLCore

@Suite("Hooks")
struct HookTests {
  private let db: Database

  init() throws {
    db = try Database.temporary()
    try db.execute("CREATE TABLE t (n INTEGER PRIMARY KEY, v INTEGER)")
  }

  struct Veto: Error, CustomStringConvertible { let description = "not today" }

  @Test("a commit listener vetoes by throwing, and nothing is stored")
  func commit() throws {
    let commits = Shared(0)
    let vetoes = Shared(false)
    try db.onCommit { commits.change { $0 += 1 } }
    let veto = try db.onCommit { if vetoes.current { throw Veto() } }
    try db.execute("INSERT INTO t VALUES (1, 1)")
    #expect(commits.current == 1)
    vetoes.change { $0 = true }
    let error = #expect(throws: DatabaseError.self) {
      try db.execute("INSERT INTO t VALUES (2, 2)")
    }
    #expect(error?.message == "not today")
    #expect(error?.code.rawValue == 531)
    #expect(error?.constraint == nil || error?.constraint?.kind == .other)
    let alone = #expect(throws: DatabaseError.self) {
      try db.writeWithoutTransaction { try $0.execute("INSERT INTO t VALUES (2, 2)") }
    }
    #expect(alone?.message == "not today")
    #expect(try db.row("SELECT count(*) FROM t")?[0] == 1)
    try db.remove(veto)
    try db.execute("INSERT INTO t VALUES (2, 2)")
    #expect(commits.current == 4)
  }

  @Test("a rollback listener runs once per rollback")
  func rollback() throws {
    let count = Shared(0)
    try db.onRollback { count.change { $0 += 1 } }
    try db.execute("INSERT INTO t VALUES (1, 1)")
    #expect(count.current == 0)
    try db.write { tx in
      try tx.execute("INSERT INTO t VALUES (2, 2)")
      try tx.requestRollback()
    }
    #expect(count.current == 1)
  }

  @Test("a rollback listener is not called for reads, nor for snapshots that are released")
  func rollbackOfReads() throws {
    struct Stop: Error {}
    for db in [try Database.temporary(), try Database.inMemory()] {
      let count = Shared(0)
      try db.onRollback { count.change { $0 += 1 } }
      #expect(throws: Stop.self) { try db.read { _ in throw Stop() } }
      #expect(throws: Stop.self) {
        try db.read { connection in
          _ = try connection.row("SELECT * FROM sqlite_schema")
          throw Stop()
        }
      }
      if db.path != nil {
        let snapshot = try db.makeSnapshot()
        try snapshot.renew()
        #expect(throws: Stop.self) { try snapshot.read { _ in throw Stop() } }
      }
      #expect(count.current == 0)
      #expect(throws: Stop.self) { try db.write { _ in throw Stop() } }
      #expect(count.current == 1)
    }
  }

  @Test("an update listener receives each row")
  func update() throws {
    let seen = Shared<[UpdateEvent]>([])
    let other = Shared(0)
    let listener = try db.onUpdate { update in seen.change { $0.append(update) } }
    try db.onUpdate { _ in other.change { $0 += 1 } }
    try db.execute("INSERT INTO t VALUES (7, 1); UPDATE t SET v = 2; DELETE FROM t WHERE n = 7")
    #expect(
      seen.current == [
        UpdateEvent(kind: .insert, database: "main", table: "t", rowID: 7),
        UpdateEvent(kind: .update, database: "main", table: "t", rowID: 7),
        UpdateEvent(kind: .delete, database: "main", table: "t", rowID: 7),
      ])
    try db.remove(listener)
    try db.execute("INSERT INTO t VALUES (8, 1)")
    #expect(seen.current.count == 3)
    #expect(other.current == 4)
    #expect(listener.isRemoved)
  }

  @Test("a pre-update listener receives the old and new values of each row", .needs(.preUpdateHook))
  func preUpdate() throws {
    struct Seen: Equatable, Sendable {
      let kind: UpdateEvent.Kind
      let old, new: DatabaseValue?
    }
    let seen = Shared<[Seen]>([])
    try db.onPreUpdate { event in
      let item = Seen(
        kind: event.kind, old: event.oldDatabaseValue(at: 1), new: event.newDatabaseValue(at: 1))
      seen.change { $0.append(item) }
      #expect(event.tableName == "t" && event.databaseName == "main" && event.columnCount == 2)
      #expect(event.kind == .insert || event.oldRowID == 1)
    }
    try db.execute("INSERT INTO t VALUES (1, 123)")
    try db.execute("UPDATE t SET v = 999")
    try db.execute("UPDATE t SET v = CAST(x'FF41' AS TEXT)")
    try db.execute("DELETE FROM t")
    let broken = DatabaseValue.invalidText(Data([0xFF, 0x41]))
    #expect(
      seen.current == [
        Seen(kind: .insert, old: nil, new: 123), Seen(kind: .update, old: 123, new: 999),
        Seen(kind: .update, old: 999, new: broken), Seen(kind: .delete, old: broken, new: nil),
      ])
  }

  @Test("a WAL listener receives each commit, and the log is still checkpointed")
  func writeAheadLog() throws {
    let folder = try TemporaryFolder()
    let connection = try folder.connection()
    try connection.execute("CREATE TABLE t (b BLOB); PRAGMA wal_autocheckpoint = 20")
    let pages = Shared<[Int]>([])
    let listener = try connection.onWALCommit { commit in
      #expect(commit.database == "main")
      pages.change { $0.append(commit.pageCount) }
    }
    for _ in 0..<100 { try connection.execute("INSERT INTO t VALUES (zeroblob(3000))") }
    #expect(pages.current.count == 100)
    // The log restarts after each checkpoint.
    #expect((pages.current.max() ?? 0) < 40)
    try connection.remove(listener)
    #expect(try connection.value(Int.self, "PRAGMA wal_autocheckpoint") == 20)
    try connection.execute("INSERT INTO t VALUES (1)")
    #expect(pages.current.count == 100)
  }

  @Test("a busy listener waits beyond the timeout and gives up with its own error")
  func busy() throws {
    let folder = try TemporaryFolder()
    let first = try folder.connection()
    try first.execute("CREATE TABLE t (n INTEGER)")
    let second = try folder.connection(.with { $0.busyTimeout = .zero })
    let attempts = Shared<[Int]>([])
    try first.execute("BEGIN IMMEDIATE")
    try second.onBusy { attempt in
      attempts.change { $0.append(attempt) }
      if attempt == 3 { throw Veto() }
      return true
    }
    let error = #expect(throws: DatabaseError.self) { try second.execute("BEGIN IMMEDIATE") }
    #expect(error?.message == "not today")
    #expect(error?.code.primary == .busy)
    #expect(attempts.current == [0, 1, 2, 3])
    try first.execute("COMMIT")
    try second.execute("BEGIN IMMEDIATE; COMMIT")
    #expect(attempts.current.count == 4)
  }

  @Test("a progress listener interrupts a statement with its own error")
  func progress() throws {
    let calls = Shared(0)
    let listener = try db.onProgress(every: 100) {
      calls.change { $0 += 1 }
      if calls.current == 10 { throw Veto() }
    }
    let endless: SQL =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    let error = #expect(throws: DatabaseError.self) { try db.row(endless) }
    #expect(error?.message == "not today")
    #expect(error?.isInterruption == true)
    #expect(calls.current == 10)
    try db.remove(listener)
    #expect(
      try db.row(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 9999) SELECT count(*) FROM n"
      )?[0] == 9999)
    #expect(calls.current == 10)
  }

  @Test("a trace reports statements with their values, rows, and times")
  func trace() throws {
    let connection = try Connection()
    try connection.execute("CREATE TABLE t (n INTEGER)")
    let seen = Shared<[String]>([])
    let listener = try connection.onTrace([.statement, .row, .profile]) { event in
      let line =
        event.kind == .statement
        ? "\(event.sql ?? "") | \(event.expandedSQL ?? "")"
        : event.kind == .row ? "row" : (event.duration ?? .seconds(-1)) >= .zero ? "end" : "?"
      seen.change { $0.append(line) }
    }
    let onlyRows = Shared(0)
    try connection.onTrace(.row) { _ in onlyRows.change { $0 += 1 } }
    _ = try connection.rows("SELECT \(1) AS n UNION SELECT \("x")")
    #expect(
      seen.current == [
        "SELECT ? AS n UNION SELECT ? | SELECT 1 AS n UNION SELECT 'x'", "row", "row", "end",
      ])
    #expect(onlyRows.current == 2)
    try connection.remove(listener)
    _ = try connection.rows("SELECT 1")
    #expect(seen.current.count == 4)
    #expect(onlyRows.current == 3)
  }

  @Test("a trace reports the closing of the connection")
  func traceClose() throws {
    let closed = Shared(0)
    do {
      let connection = try Connection()
      try connection.onTrace(.close) { event in
        #expect(event.sql == nil)
        closed.change { $0 += 1 }
      }
    }
    #expect(closed.current == 1)
  }

  @Test("an authorizer allows, ignores and denies, also for statements prepared before")
  func authorizer() throws {
    try db.execute("INSERT INTO t VALUES (1, 100)")
    #expect(try db.row("SELECT v FROM t")?[0] == 100)
    let listener = try db.onAuthorize { action in
      switch action.kind {
      case .read(table: "t", column: "v"): .ignore
      case .delete(table: "t"): .deny
      case .dropTable: throw Veto()
      default: .allow
      }
    }
    #expect(try db.row("SELECT v FROM t")?[0] == .null)
    let denied = #expect(throws: DatabaseError.self) { try db.execute("DELETE FROM t") }
    #expect(denied?.code.primary == .notAuthorized)
    let vetoed = #expect(throws: DatabaseError.self) { try db.execute("DROP TABLE t") }
    #expect(vetoed?.message == "not today")
    try db.remove(listener)
    #expect(try db.row("SELECT v FROM t")?[0] == 100)
    try db.execute("DELETE FROM t")
  }

  @Test("the strictest of several authorizers decides, and a reader stays read-only")
  func authorizers() throws {
    try db.onAuthorize { _ in .allow }
    try db.onAuthorize { $0.kind == .read(table: "t", column: "v") ? .ignore : .allow }
    let third = try db.onAuthorize { $0.kind == .read(table: "t", column: "v") ? .deny : .allow }
    #expect(throws: DatabaseError.self) { try db.row("SELECT v FROM t") }
    try db.remove(third)
    #expect(try db.rows("SELECT v FROM t").isEmpty)
    let error = #expect(throws: DatabaseError.self) { try db.rows("PRAGMA query_only = 0") }
    #expect(error?.code == .readOnly)
  }
}

@Suite("Listeners that share, re-enter or leave a hook")
struct HookSharingTests {
  /// The hooks that SQLite has of the library. Each question takes the hook away, as SQLite has no
  /// other: the connection is good for nothing afterwards.
  private func takeHooks(of connection: Connection) throws -> [String: Bool] {
    let core = try connection.use()
    let context = UnsafeMutableRawPointer(core.state)
    return [
      "commit": sqlite3_commit_hook(core.handle, nil, nil) == context,
      "rollback": sqlite3_rollback_hook(core.handle, nil, nil) == context,
      "update": sqlite3_update_hook(core.handle, nil, nil) == context,
      "preUpdate": sqlite3_preupdate_hook(core.handle, nil, nil) == context,
      // Otherwise SQLite's own hook stands here, which copies the log.
      "writeAheadLog": sqlite3_wal_hook(core.handle, nil, nil) == context,
      // The older function returns the context of `sqlite3_trace_v2`, too.
      "trace": sqlite3_trace(core.handle, nil, nil) == context,
    ]
  }

  @Test("SQLite has a hook only while it has a listener", .needs(.preUpdateHook))
  func off() throws {
    func listen(_ connection: Connection) throws -> [HookListener] {
      [
        try connection.onCommit {}, try connection.onRollback {}, try connection.onUpdate { _ in },
        try connection.onPreUpdate { _ in }, try connection.onWALCommit { _ in },
        try connection.onTrace(.row) { _ in },
      ]
    }
    let (idle, listening, silent) = (try Connection(), try Connection(), try Connection())
    #expect(try takeHooks(of: idle).allSatisfy { !$0.value })
    let listeners = try listen(listening)
    #expect(try takeHooks(of: listening).allSatisfy(\.value))
    withExtendedLifetime(listeners) {}
    for listener in try listen(silent) { try silent.remove(listener) }
    #expect(try takeHooks(of: silent).allSatisfy { !$0.value })
    // One listener, one hook; and what a second listener of the kind keeps.
    let single = try Connection()
    try single.remove(try single.onCommit {})
    try single.onUpdate { _ in }
    try single.remove(try single.onUpdate { _ in })
    #expect(try takeHooks(of: single).filter(\.value).keys.sorted() == ["update"])
  }

  @Test("a listener may remove itself while it runs, and the others go on")
  func removedWhileRunning() throws {
    let db = try Database.temporary()
    try db.execute("CREATE TABLE t (n INTEGER)")
    let slot = Shared<HookListener?>(nil)
    let calls = Shared([0, 0])
    let listener = try db.onUpdate { [weak db] _ in
      calls.change { $0[0] += 1 }
      if let listener = slot.current { try? db?.remove(listener) }
    }
    slot.change { $0 = listener }
    try db.onUpdate { _ in calls.change { $0[1] += 1 } }
    try db.execute("INSERT INTO t VALUES (1), (2), (3)")
    #expect(calls.current == [1, 3])
  }

  @Test(
    "a listener that uses its own database or connection gets an error, and the write goes on",
    .needs(.preUpdateHook))
  func reentering() throws {
    let db = try Database.temporary()
    try db.execute("CREATE TABLE t (n INTEGER)")
    let errors = Shared<[String]>([])
    @Sendable func note(_ body: () throws -> Void) {
      do { try body() } catch let error as DatabaseError {
        errors.change { $0.append(error.message) }
      } catch {}
    }
    let inner = try Connection()
    try inner.execute("CREATE TABLE t (n INTEGER)")
    nonisolated(unsafe) let same = inner
    try inner.onCommit { note { try same.execute("INSERT INTO t VALUES (1)") } }
    try inner.onUpdate { _ in note { _ = try same.row("SELECT 1") } }
    try inner.onPreUpdate { _ in note { _ = try same.row("SELECT 1") } }
    try inner.onRollback { note { _ = try same.row("SELECT 1") } }
    try inner.onAuthorize { _ in
      note { _ = try same.row("SELECT 1") }
      return .allow
    }
    try inner.onTrace(.row) { _ in note { _ = try same.row("SELECT 1") } }
    try inner.onProgress(every: 1) { note { _ = try same.row("SELECT 1") } }
    try inner.onWALCommit { _ in note { _ = try same.row("SELECT 1") } }
    try inner.execute("INSERT INTO t VALUES (1)")
    _ = try inner.row("SELECT n FROM t")
    #expect(throws: CancellationError.self) {
      try inner.transaction { _ in
        try inner.execute("INSERT INTO t VALUES (1)")
        throw CancellationError()
      }
    }
    #expect(errors.current.count > 5)
    #expect(errors.current.allSatisfy { $0.contains("a connection cannot be used while") })
    errors.change { $0 = [] }
    try db.onCommit { [weak db] in note { _ = try db?.row("SELECT 1") } }
    try db.execute("INSERT INTO t VALUES (1)")
    #expect(errors.current.count == 1)
    #expect(errors.current.first?.contains("accessed from inside") == true)
    #expect(try db.row("SELECT count(*) FROM t")?[0] == 1)
  }

  @Test("listeners are released when they are removed")
  func released() throws {
    final class Token: Sendable {}
    weak var held: Token?
    let connection = try Connection()
    let listener: HookListener
    do {
      let token = Token()
      held = token
      listener = try connection.onCommit { withExtendedLifetime(token) {} }
    }
    #expect(held != nil)
    try connection.remove(listener)
    #expect(held == nil)
  }
}
