import TestRun
import Testing

@testable import SQLCore

@Suite("PRAGMA wal_autocheckpoint")
struct CheckpointPragmaTests {
  @Test("setting `wal_autocheckpoint` keeps the WAL listeners and the bound of the log")
  func autocheckpoint() throws {
    let folder = try TemporaryFolder()
    let connection = try folder.connection()
    try connection.execute("CREATE TABLE t (b BLOB)")
    let state = try connection.use().state
    let pages = Shared<[Int]>([])
    // The value that is read is the value that was set, although the hook is the library's.
    #expect(try connection.value(Int.self, "PRAGMA wal_autocheckpoint") == 1_000)
    let listener = try connection.onWALCommit { commit in
      pages.change { $0.append(commit.pageCount) }
    }
    #expect(try connection.row("PRAGMA wal_autocheckpoint = 7")?[0] == 7)
    #expect(try connection.value(Int.self, "PRAGMA wal_autocheckpoint") == 7)
    for _ in 0..<50 { try connection.execute("INSERT INTO t VALUES (zeroblob(3000))") }
    #expect(pages.current.count == 50)
    #expect((pages.current.max() ?? 0) < 20)
    // With 0 a commit copies nothing, and the log grows until it reaches its bound.
    let kept = try connection.prepare("PRAGMA main.wal_autocheckpoint = 0")
    try kept.run()
    #expect(try connection.value(Int.self, "PRAGMA wal_autocheckpoint") == 0)
    for _ in 0..<50 { try connection.execute("INSERT INTO t VALUES (zeroblob(3000))") }
    #expect(pages.current.count == 100)
    #expect((pages.current.max() ?? 0) > 50)
    #expect(state.pointee.wal.frameCount == pages.current.last)
    // Also if it is recompiled while it runs: a new authorizer expires every statement.
    try connection.onAuthorize { _ in .allow }
    try kept.run()
    try connection.execute("INSERT INTO t VALUES (1)")
    #expect(pages.current.count == 101)
    #expect(try connection.value(Int.self, "PRAGMA wal_autocheckpoint") == 0)
    try connection.execute("PRAGMA wal_autocheckpoint = 9")
    try connection.remove(listener)
    #expect(try connection.value(Int.self, "PRAGMA wal_autocheckpoint") == 9)
    try connection.execute("INSERT INTO t VALUES (1)")
    #expect(pages.current.count == 101)
    #expect(state.pointee.wal.frameCount > 0)
  }
}
