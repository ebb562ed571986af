import QueryDSL
import SQLCore
import Testing

@testable import ChangeObservation

@Suite("Live results of a locked file")
struct LockedFileTests {
  @Test("a file locked by another connection is fetched once the lock is released")
  func locked() async throws {
    let folder = try TemporaryPath()
    let other = try Connection(path: folder.path)
    // A writer keeps readers out only if there is no write-ahead log.
    _ = try other.rows("PRAGMA journal_mode = DELETE")
    try other.execute(
      "CREATE TABLE Thing (id INTEGER PRIMARY KEY, title TEXT, size INTEGER, half REAL)")
    var configuration = Configuration()
    configuration.isReadOnly = true
    configuration.busyTimeout = .milliseconds(1)
    let db = try Database(path: folder.path, configuration: configuration)
    // The reading connection is open before the lock is taken.
    #expect(try await db.rows("SELECT * FROM Thing").isEmpty)
    try other.execute("BEGIN EXCLUSIVE")
    try other.execute("INSERT INTO Thing VALUES (1, 'a', 5, NULL)")
    let (attempts, attempt) = AsyncStream.makeStream(of: Void.self)
    try db.onBusy { _ in
      attempt.yield()
      return false
    }
    let task = Task {
      defer { attempt.finish() }
      var sizes = db.observe(sql: "SELECT size FROM Thing").makeAsyncIterator()
      return try await sizes.next()?.map { $0.values }
    }
    var count = 0
    for await _ in attempts {
      count += 1
      if count == 3 { break }
    }
    try other.execute("COMMIT")
    #expect(try await task.value == [[5]])
  }

  @Test("a fetch that throws busy is tried again")
  func busy() async throws {
    let folder = try TemporaryPath()
    let other = try Connection(path: folder.path)
    _ = try other.rows("PRAGMA journal_mode = DELETE")
    try other.execute("CREATE TABLE Thing (id INTEGER PRIMARY KEY)")
    var configuration = Configuration()
    configuration.isReadOnly = true
    configuration.busyTimeout = .zero
    let db = try Database(path: folder.path, configuration: configuration)
    #expect(try await db.rows("SELECT id FROM Thing").isEmpty)
    try other.execute("BEGIN EXCLUSIVE")
    try other.execute("INSERT INTO Thing VALUES (7)")
    var attempts = 0
    let ids = try await TableWatch(db).retrying {
      attempts += 1
      if attempts == 3 { try other.execute("COMMIT") }
      return try await db.rows("SELECT id FROM Thing").map { $0.values }
    }
    #expect(attempts == 3 && ids == [[7]])
    // Every other error ends the attempts.
    await #expect(throws: DatabaseError.self) {
      try await TableWatch(db).retrying {
        attempts += 1
        _ = try await db.rows("SELECT id FROM Missing")
      }
    }
    #expect(attempts == 4)
  }

  /// A lock that lasts longer than the library keeps checking by itself after a write.
  @Test("the library checks for foreign commits until the lock is gone, without blocking")
  func lockedLook() async throws {
    let folder = try TemporaryPath()
    let other = try Connection(path: folder.path)
    _ = try other.rows("PRAGMA journal_mode = DELETE")
    try other.execute("CREATE TABLE Thing (id INTEGER PRIMARY KEY)")
    var configuration = Configuration()
    configuration.isReadOnly = true
    // A check that waited on the writer would never end.
    configuration.busyTimeout = .seconds(1_000_000)
    let db = try Database(path: folder.path, configuration: configuration)
    let tracker = try #require(ChangeTracker.of(db))
    let queue = CommitQueue(maximumRows: 10)
    _ = tracker.add(Subscription(tables: [:], queue: queue, isLive: true))
    // Takes the place of the pauses between checks, and counts them.
    let (pauses, pause) = AsyncStream.makeStream(of: Void.self)
    let check = FileCheck(database: db, tracker: tracker) { _ in
      pause.yield()
      await Task.yield()
    }
    check.request()
    #expect(await queue.wait())
    _ = queue.take()
    try other.execute("BEGIN EXCLUSIVE")
    try other.execute("INSERT INTO Thing VALUES (1)")
    check.request()
    var count = 0
    for await _ in pauses {
      count += 1
      if count == 100 { break }
    }
    #expect(queue.take().isEmpty)
    try other.execute("COMMIT")
    #expect(await queue.wait())
    #expect(queue.take().everything == [0: [.changedElsewhere]])
    check.end()
  }

  @Test("an observation continues after a lock that was taken while it ran")
  func lockedLater() async throws {
    let folder = try TemporaryPath()
    let other = try Connection(path: folder.path)
    _ = try other.rows("PRAGMA journal_mode = DELETE")
    try other.execute("CREATE TABLE Thing (id INTEGER PRIMARY KEY)")
    var configuration = Configuration()
    configuration.isReadOnly = true
    let db = try Database(path: folder.path, configuration: configuration)
    var rows = db.observe(sql: "SELECT * FROM Thing").makeAsyncIterator()
    var values = db.observe { try $0.rows("SELECT * FROM Thing").count }.makeAsyncIterator()
    #expect(try await rows.next()?.count == 0)
    #expect(try await values.next() == 0)
    let (attempts, attempt) = AsyncStream.makeStream(of: Void.self)
    try db.onBusy { _ in
      attempt.yield()
      return false
    }
    for round in 1...2 {
      try other.execute("BEGIN EXCLUSIVE")
      try other.execute("INSERT INTO Thing VALUES (\(round))")
      // The library meets the lock several times.
      var count = 0
      for await _ in attempts {
        count += 1
        if count == 3 { break }
      }
      try other.execute("COMMIT")
      #expect(try await rows.next()?.count == round)
      #expect(try await values.next() == round)
    }
  }
}
