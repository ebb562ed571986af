import ChangeObservation
import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

/// DETACH, and ATTACH of another file whose schema has the same version.
@Suite("Another file under the name of a detached one", .needs(.preUpdateHook))
struct ReattachedTests {
  @Test("the columns of the new file are reported")
  func columns() async throws {
    let (first, second) = (try Database.temporary(), try Database.temporary())
    try await first.execute("CREATE TABLE Word (id INTEGER PRIMARY KEY, a TEXT, b TEXT)")
    try await second.execute("CREATE TABLE Word (id INTEGER PRIMARY KEY, b TEXT, a TEXT)")
    let versions = try [first, second].map { try $0.fetch(Int.self, "PRAGMA schema_version") }
    try #require(versions[0] == versions[1])
    let (one, two) = (try #require(first.path), try #require(second.path))
    let db = try Database.temporary()
    var changes = db.changes().makeAsyncIterator()
    for path in [one, two] {
      try await db.writeWithoutTransaction { try $0.execute("ATTACH \(path) AS far") }
      try await db.execute("INSERT INTO far.Word (id, a, b) VALUES (1, 'A', 'B')")
      // An element may have only the event that the schema has changed.
      var row: AnyRowChange?
      while row == nil, let change = await changes.next() { row = change.tables.first?.rows.first }
      #expect(row?.new("a") == "A")
      #expect(row?.new("b") == "B")
      try await db.writeWithoutTransaction { try $0.execute("DETACH far") }
    }
  }
}
