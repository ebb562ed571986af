import SQLCore
import TestRun
import Testing

/// Maintenance can wait and work for a long time. A cancelled task ends that as well.
@Suite("Cancelled maintenance", .blocking)
struct MaintenanceCancellationTests {
  private let folder: TemporaryFolder
  private let db: Database

  init() throws {
    folder = try TemporaryFolder()
    var configuration = Configuration()
    configuration.busyTimeout = .seconds(3_600)
    db = try Database(path: folder.file(), configuration: configuration)
    try db.makeItems(100)
  }

  /// Cancels work that waits for another connection's lock, and uses the database afterwards.
  private func expectEnd(
    holding sql: String, of work: @escaping @Sendable (Database) async throws -> Void
  ) async throws {
    let other = try Connection(path: folder.file())
    try other.execute("BEGIN")
    try other.execute(SQL(unsafe: sql))
    // Gives the log a change that the other connection does not see.
    if sql.hasPrefix("SELECT") { try await db.execute("UPDATE item SET name = name") }
    let task = Task.immediate { [db] in try await work(db) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    try other.execute("ROLLBACK")
    #expect(try db.itemCount() == 100)
    try await work(db)
    try await db.execute("DELETE FROM item WHERE id = 1")
    #expect(try db.itemCount() == 99)
  }

  @Test("cancelling ends a vacuum that waits for a writer")
  func vacuum() async throws {
    try await expectEnd(holding: "UPDATE item SET name = name") { try await $0.vacuum() }
  }

  @Test(
    "cancelling ends a checkpoint that waits for a reader",
    arguments: [CheckpointMode.restart, .truncate])
  func checkpoint(mode: CheckpointMode) async throws {
    try await expectEnd(holding: "SELECT count(*) FROM item") { try await $0.checkpoint(mode) }
  }

  @Test("a cancelled vacuum into a file leaves no file, not even a partial one")
  func vacuumInto() async throws {
    let path = folder.file("copy.sqlite")
    let task = Task { [db] in
      withUnsafeCurrentTask { $0?.cancel() }
      try await db.vacuum(into: path)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(folder.fileNames.filter { $0.hasPrefix("copy") } == [])
    try await db.vacuum(into: path)
    #expect(try Database(path: path).itemCount() == 100)
  }

  @Test(
    "a cancelled backup into another database leaves the destination unchanged",
    arguments: [true, false])
  func backup(inMemory: Bool) async throws {
    let other =
      inMemory ? try Database.inMemory() : try Database(path: folder.file("other.sqlite"))
    try other.makeItems(3)
    let begun = Flag()
    let isCancelled = Flag()
    let task = Task.detached { [db] in
      try await db.backup(to: other, pagesPerStep: 1) { _ in
        while !isCancelled.isSet { begun.set() }
      }
    }
    while !begun.isSet { await Task.yield() }
    task.cancel()
    isCancelled.set()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try other.itemCount() == 3)
    try await db.backup(to: other)
    #expect(try other.itemCount() == 100)
  }
}
