import ApusRemote
import ChangeObservation
import FileEngine
import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

private struct RemoteNote: Model, Equatable {
  @PrimaryKey var id = Unique64()
  @Column var text: String
}

@Suite struct RemoteObservationTests {
  @Test func commitsOfThisProgramAndOfOthersAreSeen() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "remote-\(UUID())").path()
    defer {
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: path + suffix)
      }
    }
    let db = try Database(engine: FileEngine(path: path), models: [RemoteNote.self])
    var results = db.observe(RemoteNote.all.order(by: \.$id)).makeAsyncIterator()
    #expect(try await results.next()?.map(\.text) == [])
    try await db.insert(RemoteNote(text: "own"))
    #expect(try await results.next()?.map(\.text) == ["own"])
    let other = try Database(path: path, models: [RemoteNote.self])
    try await other.insert(RemoteNote(text: "foreign"))
    #expect(try await results.next()?.map(\.text) == ["own", "foreign"])
  }
}
