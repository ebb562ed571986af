import CCountingVFS
import TestRun
import Testing

@testable import SQLCore

@Suite("The cost of shared commits", .blocking)
struct SharedCommitSyncTests {
  @Test("1,000 tasks with one durable insert each force the disk at most 50 times")
  func syncs() async throws {
    let folder = try TemporaryFolder(named: "-counted")
    #expect(counting_vfs_register(String(folder.path.split(separator: "/").last ?? "")) == 0)
    let db = try Database(
      path: folder.file(),
      configuration: .with { $0.maximumSharedTransactionAge = .seconds(3_600) })
    #expect(db.configuration.synchronous == .full)
    try await db.execute("CREATE TABLE item (id INTEGER PRIMARY KEY) STRICT")
    let before = counting_vfs_sync_count()
    // A write that shares its commit with no other is forced to disk and counted.
    try await db.execute("INSERT INTO item VALUES (-1)")
    #expect(counting_vfs_sync_count() > before)

    let start = counting_vfs_sync_count()
    // The tasks stand in line before the first of them is served.
    let holding = Holding(writerWithoutTransactionOf: db)
    let tasks = (0..<1_000).map { id in
      Task.immediate {
        try await db.write { try $0.execute("INSERT INTO item VALUES (\(id))") }
      }
    }
    holding.end()
    for task in tasks { try await task.value }
    let count = counting_vfs_sync_count() - start
    #expect(count <= 50 && count > 0)
    #expect(try await db.row("SELECT count(*) FROM item")?[0] == 1_001)
  }
}
