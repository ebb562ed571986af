import CCountingVFS
import SQLCore
import Testing

@Suite("The cost of shared commits")
struct SharedCommitSyncTests {
  @Test("1,000 tasks with one durable insert each force the disk at most 50 times")
  func syncs() async throws {
    let folder = try TemporaryFolder(named: "-counted")
    #expect(counting_vfs_register(String(folder.path.split(separator: "/").last ?? "")) == 0)
    let db = try Database(path: folder.file())
    #expect(db.configuration.synchronous == .full)
    try await db.execute("CREATE TABLE item (id INTEGER PRIMARY KEY) STRICT")
    let before = counting_vfs_sync_count()
    // A write that shares with nobody is forced to disk, and counted.
    try await db.execute("INSERT INTO item VALUES (-1)")
    #expect(counting_vfs_sync_count() > before)

    let start = counting_vfs_sync_count()
    try await withThrowingTaskGroup { group in
      for id in 0..<1_000 {
        group.addTask {
          try await db.write { try $0.execute("INSERT INTO item VALUES (\(id))") }
        }
      }
      try await group.waitForAll()
    }
    let count = counting_vfs_sync_count() - start
    #expect(count <= 50 && count > 0)
    #expect(try await db.row("SELECT count(*) FROM item")?[0] == 1_001)
    print("1,000 shared writes: \(count) syncs")
  }
}
