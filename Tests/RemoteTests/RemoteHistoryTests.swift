import ApusHistory
import ApusRemote
import ChangeObservation
import FileEngine
import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

private struct RemoteEntry: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var text: String

  static var schema: Schema<RemoteEntry> { Logged() }
}

@Suite("The change log of a database behind an engine")
struct RemoteHistoryTests {
  @Test("the log is written and read; undo and exchanges throw and change nothing")
  func refusals() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "remote-\(UUID())").path()
    defer {
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: path + suffix)
      }
    }
    let db = try Database(engine: FileEngine(path: path), models: [RemoteEntry.self])
    let history = try History(of: [RemoteEntry.self], inLogOf: db)
    try db.insert(RemoteEntry(id: 1, text: "here"))
    #expect(try db.log.entries().map { $0.changes.map(\.kind) } == [[.inserted]])

    let undone = #expect(throws: DatabaseError.self) { try history.undo() }
    #expect(
      undone?.message.contains("applying recorded changes without the triggers") == true,
      "\(String(describing: undone))")

    let other = try Database.inMemory(models: [RemoteEntry.self])
    try other.insert(RemoteEntry(id: 2, text: "there"))
    let batch = try other.log.batch(after: 0)
    #expect(throws: DatabaseError.self) { try db.log.apply(batch) }
    #expect(try db.fetch(RemoteEntry.all) == [RemoteEntry(id: 1, text: "here")])
  }
}
