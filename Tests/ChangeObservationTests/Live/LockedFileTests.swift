import QueryDSL
import SQLCore
import Testing

@testable import ChangeObservation

@Suite("Live results of a file that somebody locks")
struct LockedFileTests {
  @Test("G19 a file that another connection locks is fetched once that lets it go")
  func locked() async throws {
    let folder = try TemporaryPath()
    let other = try Connection(path: folder.path)
    // Only without a write-ahead log does somebody who writes keep readers out.
    _ = try other.rows("PRAGMA journal_mode = DELETE")
    try other.execute(
      "CREATE TABLE Thing (id INTEGER PRIMARY KEY, title TEXT, size INTEGER, half REAL)")
    var configuration = Configuration()
    configuration.isReadOnly = true
    configuration.busyTimeout = .milliseconds(1)
    let db = try Database(path: folder.path, configuration: configuration)
    // The connection that reads is there before the lock is.
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

  @Test("G19 a database that another process locks is asked again")
  func busy() async throws {
    let watch = TableWatch(try Database.temporary())
    var failures = 3
    let value = try await watch.retrying {
      failures -= 1
      if failures > 0 { throw DatabaseError(code: .busy, message: "locked") }
      return 7
    }
    #expect(value == 7)
  }
}
