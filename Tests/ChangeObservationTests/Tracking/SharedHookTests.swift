import Foundation
import SQLCore
import Synchronization
import Testing

@testable import ChangeObservation

@Suite("Listeners of the user beside the library's own")
struct SharedHookTests {
  @Test("P25 commit, rollback and pre-update listeners share their hooks with an observation")
  func shared() async throws {
    let db = try Database.temporary()
    try await db.execute("CREATE TABLE Note (id INTEGER PRIMARY KEY, text TEXT) STRICT")
    let rows = Mutex(0)
    let fails = Mutex(false)
    struct Veto: Error {}
    try db.onPreUpdate { _ in rows.withLock { $0 += 1 } }
    try db.onCommit { if fails.withLock({ $0 }) { throw Veto() } }
    let tracker = try #require(ChangeTracker.of(db))
    let seen = Mutex<[Int]>([])
    let id = tracker.add(
      Subscription(tables: ["note": Subscription.Interest(columns: nil)]) { changes in
        seen.withLock { $0.append(changes.tables["note"]?.rows.count ?? -1) }
      })
    try await db.execute("INSERT INTO Note VALUES (1, 'a'), (2, 'b')")
    #expect(rows.withLock { $0 } == 2)
    #expect(seen.withLock { $0 } == [2])
    // A commit that a listener vetoes is no change.
    fails.withLock { $0 = true }
    await #expect(throws: DatabaseError.self) {
      try await db.execute("INSERT INTO Note VALUES (3, 'c')")
    }
    #expect(seen.withLock { $0 } == [2])
    fails.withLock { $0 = false }
    // The observation ends; the listener goes on.
    tracker.remove(id)
    try await db.execute("INSERT INTO Note VALUES (4, 'd')")
    #expect(rows.withLock { $0 } == 4)
    #expect(seen.withLock { $0 } == [2])
  }
}
