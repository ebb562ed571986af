import ChangeObservation
import Foundation
import SQLCore
import Synchronization
import TestRun
import Testing

@Suite("The user's listeners beside the library's own")
struct SharedHookTests {
  @Test(
    "commit and pre-update listeners share their hooks with an observation",
    .needs(.preUpdateHook))
  func shared() async throws {
    let db = try Database.temporary()
    try await db.execute("CREATE TABLE Note (id INTEGER PRIMARY KEY, text TEXT) STRICT")
    let rows = Mutex(0)
    let fails = Mutex(false)
    struct Veto: Error {}
    try db.onPreUpdate { _ in rows.withLock { $0 += 1 } }
    try db.onCommit { if fails.withLock({ $0 }) { throw Veto() } }
    var changes: DatabaseChangeStream.AsyncIterator? = db.changes().makeAsyncIterator()
    try await db.execute("INSERT INTO Note VALUES (1, 'a'), (2, 'b')")
    #expect(rows.withLock { $0 } == 2)
    #expect(await changes?.next()?["Note"]?.rows.count == 2)
    // A commit that a listener vetoes is not a change.
    fails.withLock { $0 = true }
    await #expect(throws: DatabaseError.self) {
      try await db.execute("INSERT INTO Note VALUES (3, 'c')")
    }
    fails.withLock { $0 = false }
    try await db.execute("INSERT INTO Note VALUES (5, 'e')")
    #expect(await changes?.next()?["Note"]?.rows.map(\.keyValues) == [[.integer(5)]])
    // The observation ends, and the listener goes on.
    changes = nil
    try await db.execute("INSERT INTO Note VALUES (4, 'd')")
    #expect(rows.withLock { $0 } == 5)
  }
}
