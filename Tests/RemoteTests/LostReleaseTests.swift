import ApusRemote
import FileEngine
import Foundation
import SQLCore
import Testing

@Suite("A session that is lost while a savepoint is released")
struct LostReleaseTests {
  /// Runs statements until a RELEASE has run elsewhere, whose answer is lost. Returns the outcome,
  /// and the number of rows in the table `t`.
  private func lose(
    _ script: String
  ) throws -> (outcome: RemoteSessionError.Outcome?, rowCount: Int) {
    let folder = FileManager.default.temporaryDirectory.appending(path: "release-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let engine = FileEngine(path: folder.appending(path: "db.sqlite").path())
    let db = try Database(engine: engine)
    try db.execute("CREATE TABLE t (x)")
    engine.faultAfter.withLock { fault in
      fault = { sql in
        guard sql.contains("RELEASE") else { return }
        throw RemoteSessionError(outcome: .unknown, message: "the line was cut")
      }
    }
    let error = #expect(throws: RemoteSessionError.self) {
      try db.writeWithoutTransaction { try $0.execute(SQL(unsafe: script)) }
    }
    engine.faultAfter.withLock { $0 = nil }
    return (error?.outcome, try db.rows("SELECT x FROM t").count)
  }

  @Test(
    "has an unknown outcome if the savepoint has begun the transaction",
    arguments: [
      "SAVEPOINT a; INSERT INTO t VALUES (1); RELEASE a",
      "/* c */ savepoint \"A\"; INSERT INTO t VALUES (1); -- c\nRELEASE SAVEPOINT [a];",
      "SAVEPOINT a; INSERT INTO t VALUES (1); SAVEPOINT b; ROLLBACK TO a; SAVEPOINT b; "
        + "INSERT INTO t VALUES (2); RELEASE a",
      "BEGIN; SAVEPOINT b; COMMIT; SAVEPOINT a; INSERT INTO t VALUES (1); RELEASE a",
    ])
  func outer(_ script: String) throws {
    let (outcome, rowCount) = try lose(script)
    #expect(outcome == .unknown)
    // It was committed, unless the savepoint was rolled back before.
    #expect(rowCount == 1)
  }

  @Test(
    "has changed nothing if the transaction goes on",
    arguments: [
      "SAVEPOINT a; INSERT INTO t VALUES (1); SAVEPOINT b; RELEASE b",
      "BEGIN; INSERT INTO t VALUES (1); SAVEPOINT a; RELEASE a",
      "SAVEPOINT a; ROLLBACK; BEGIN; INSERT INTO t VALUES (1); SAVEPOINT a; RELEASE a",
    ])
  func inner(_ script: String) throws {
    let (outcome, rowCount) = try lose(script)
    #expect(outcome == .notRun)
    #expect(rowCount == 0)
  }
}
