import CSQLite
import ChangeObservation
import QueryDSL
import SQLCore
import TestRun
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("Incremental BLOBs", .needs(.preUpdateHook))
struct BlobTests {
  @Test("writing into a BLOB is reported as an update of its column, with both values")
  func blobWrite() async throws {
    let db = try Database.temporary()
    try await db.execute("CREATE TABLE Picture (id INTEGER PRIMARY KEY, name TEXT, data BLOB)")
    try await db.execute("INSERT INTO Picture VALUES (1, 'a', x'00112233'), (2, 'b', x'00')")
    var changes = db.changes().makeAsyncIterator()
    try await db.write { tx in
      let core = try tx.use()
      var blob: OpaquePointer?
      try core.check(sqlite3_blob_open(core.handle, "main", "Picture", "data", 1, 1, &blob))
      defer { sqlite3_blob_close(blob) }
      try core.check(sqlite3_blob_write(blob, [0xFF, 0xEE] as [UInt8], 2, 1))
    }
    let picture = try #require(await changes.next()?["Picture"])
    #expect(picture.events.isEmpty)
    #expect(picture.rows.map(\.keyValues) == [[1]])
    #expect(picture.rows.first?.changedColumns == ["data"])
    #expect(picture.rows.first?.old("data") == .blob(Data([0x00, 0x11, 0x22, 0x33])))
    #expect(picture.rows.first?.new("data") == .blob(Data([0x00, 0xFF, 0xEE, 0x33])))
  }
}
