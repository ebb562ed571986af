import ApusRemote
import FileEngine
import Foundation
import SQLCore
import Testing

@Suite("A session that is lost before a statement of a transaction")
struct LostSessionTests {
  private func withEngine(
    _ body: (Database, FileEngine) throws -> Void
  ) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "session-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let engine = FileEngine(path: folder.appending(path: "db.sqlite").path())
    try body(try Database(engine: engine), engine)
  }

  @Test("a transaction whose session was closed between two statements changes and reads nothing")
  func closedBetweenStatements() throws {
    let lost = RemoteSessionError(
      outcome: .notRun, message: "the session was lost, and the transaction was rolled back")
    try withEngine { db, engine in
      try db.execute("CREATE TABLE t (x)")
      #expect(throws: lost) {
        try db.write { tx in
          try tx.execute("INSERT INTO t VALUES (1)")
          engine.closeSessions()
          try tx.execute("INSERT INTO t VALUES (2)")
        }
      }
      #expect(throws: lost) {
        try db.write { tx in
          try tx.execute("INSERT INTO t VALUES (1)")
          engine.closeSessions()
          // The next statement is COMMIT.
        }
      }
      // A caught error does not let later statements run.
      let later = #expect(throws: DatabaseError.self) {
        try db.write { tx in
          try tx.execute("INSERT INTO t VALUES (1)")
          engine.closeSessions()
          try? tx.execute("INSERT INTO t VALUES (2)")
          try tx.execute("INSERT INTO t VALUES (3)")
        }
      }
      #expect(later?.code == .abort)
      #expect(throws: lost) {
        try db.read { tx in
          let found = try tx.fetch(Int.self, "SELECT x FROM t")
          #expect(found == [])
          engine.closeSessions()
          _ = try tx.fetch(Int.self, "SELECT x FROM t")
        }
      }
      let found2 = try db.fetch(Int.self, "SELECT x FROM t")
      #expect(found2 == [])
      engine.closeSessions()
      // Outside a transaction, a new session is opened.
      try db.execute("INSERT INTO t VALUES (4)")
      let found3 = try db.fetch(Int.self, "SELECT x FROM t")
      #expect(found3 == [4])
    }
  }

  @Test("a transaction that was lost while it began is begun again, or has certainly not run")
  func lostBegin() throws {
    try withEngine { db, engine in
      try db.execute("CREATE TABLE t (x)")
      let count = Lock(0)
      engine.fault.withLock { fault in
        fault = { sql in
          guard sql.hasPrefix("BEGIN"),
            count.withLock({
              $0 += 1; return $0
            }) < 3
          else { return }
          throw RemoteSessionError(outcome: .unknown, message: "the line was cut")
        }
      }
      try db.execute("INSERT INTO t VALUES (1)")
      #expect(count.withLock { $0 } == 3)
      engine.fault.withLock { fault in
        fault = { sql in
          guard sql.hasPrefix("BEGIN") else { return }
          throw RemoteSessionError(outcome: .unknown, message: "the line was cut")
        }
      }
      var impatient = Configuration()
      impatient.busyTimeout = .zero
      let other = try Database(engine: engine, configuration: impatient)
      let error = #expect(throws: RemoteSessionError.self) {
        try other.execute("INSERT INTO t VALUES (2)")
      }
      #expect(error?.outcome == .notRun)
      engine.fault.withLock { $0 = nil }
      let found = try db.fetch(Int.self, "SELECT x FROM t")
      #expect(found == [1])
    }
  }
}
