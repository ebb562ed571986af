import QueryDSL
import SQLCore
import Testing

@testable import ChangeObservation

/// A plan cannot order by text that is not UTF-8, so that the query runs again.
@Suite("The status of a query with invalid text", .needs(.preUpdateHook))
struct StatusOfInvalidTextTests {
  @Test("the status says that the query runs again")
  func status() async throws {
    let db = try Database.temporary(configuration: .relaxed)
    try await db.execute(
      """
      CREATE TABLE Note (id INTEGER PRIMARY KEY, title TEXT NOT NULL, stars INTEGER NOT NULL, body TEXT);
      INSERT INTO Note VALUES (1, CAST(x'ff41' AS TEXT), 0, NULL), (2, 'a', 0, NULL);
      """)
    let watch = QueryWatch(LiveSource(Note.order(by: \.$title).select(\.$id)), in: db)
    _ = try await watch.next()
    for stars in 1...5 {
      try await db.execute("INSERT INTO Note VALUES (\(stars + 2), 'b', \(stars), NULL)")
      _ = try await watch.update()
    }
    #expect(watch.fetchCount == 6)
    #expect(!watch.cost.isMaintained)
  }
}
