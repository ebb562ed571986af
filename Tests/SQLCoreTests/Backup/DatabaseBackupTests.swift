import Foundation
import SQLCore
import Testing

@Suite("Backup into a database")
struct DatabaseBackupTests {
  enum Place: CaseIterable {
    case file, memory

    func open() throws -> Database {
      switch self {
      case .file: try Database.temporary()
      case .memory: try Database.inMemory()
      }
    }
  }

  @Test(
    "a backup copies between files and memory in every combination", arguments: Place.allCases,
    Place.allCases)
  func places(source: Place, destination: Place) async throws {
    let db = try source.open()
    let other = try destination.open()
    try db.makeItems()
    try other.makeItems(3, named: "other")
    let log = ProgressLog()
    try synchronously { try db.backup(to: other, pagesPerStep: 7) { log.add($0) } }
    #expect(try other.content() == db.content())
    #expect(log.all.count > 1)
    #expect(log.all.last?.isComplete == true)

    // Both stay usable, and the writer of the destination still writes.
    try db.makeItems(1)
    try other.makeItems(2)
    #expect(try other.itemCount() == 502)

    try await db.backup(to: other, pagesPerStep: 7) { log.add($0) }
    #expect(try other.content() == db.content())
  }

  @Test("a database in memory is copied into a file and back", arguments: [1, 1_000])
  func memoryToFile(pagesPerStep: Int) async throws {
    let folder = try TemporaryFolder()
    let db = try Database.inMemory()
    try db.makeItems()
    try synchronously { try db.backup(to: folder.file(), pagesPerStep: pagesPerStep) }
    try await db.backup(to: folder.file(), pagesPerStep: pagesPerStep, overwriting: true)
    let restored = try Database.inMemory()
    try await Database(path: folder.file()).backup(to: restored, pagesPerStep: pagesPerStep)
    #expect(try restored.content() == db.content())
  }

  @Test("a backup of an empty database empties the destination", arguments: Place.allCases)
  func empty(place: Place) throws {
    let other = try place.open()
    try other.makeItems(3)
    try place.open().backup(to: other)
    #expect(try other.rows("SELECT * FROM sqlite_schema").isEmpty)
  }

  @Test("writes to the source continue during a backup and are not in the copy")
  func concurrentWrites() throws {
    let db = try Database.temporary()
    let other = try Database.temporary()
    try db.makeItems()
    let before = try db.content()
    try db.backup(to: other, pagesPerStep: 1) { _ in try db.makeItems(5, named: "later") }
    #expect(try other.content() == before)
  }

  @Test("backups in opposite directions at the same time both finish", arguments: Place.allCases)
  func opposite(place: Place) async throws {
    let db = try place.open()
    let other = try place.open()
    try db.makeItems()
    try other.makeItems()
    try await withThrowingTaskGroup { group in
      for _ in 0..<10 {
        group.addTask { try await db.backup(to: other, pagesPerStep: 1) }
        group.addTask { try await other.backup(to: db, pagesPerStep: 1) }
      }
      try await group.waitForAll()
    }
    #expect(try other.content() == db.content())
  }

  @Test(
    "a backup that throws before its end leaves the destination unchanged",
    arguments: Place.allCases)
  func abandoned(place: Place) throws {
    let db = try Database.temporary()
    let other = try place.open()
    try db.makeItems()
    try other.makeItems(300, named: "other")
    let before = try other.content()
    #expect(throws: Abandoned.self) {
      try db.backup(to: other, pagesPerStep: 3) { progress in
        if progress.completedPageCount > 30 { throw Abandoned() }
      }
    }
    #expect(try other.content() == before)
    #expect(try other.row("PRAGMA quick_check")?.get(String.self, at: 0) == "ok")
    try other.makeItems(1)
    #expect(try other.itemCount() == 301)
  }

  @Test("readers of the destination see its old content until the copy is complete")
  func readersOfDestination() throws {
    let db = try Database.temporary()
    let other = try Database.temporary()
    try db.makeItems()
    try other.makeItems(3)
    let path = try #require(other.path)
    let reader = try Database(path: path)
    var counts: Set<Int> = []
    try db.backup(to: other, pagesPerStep: 3) { progress in
      if !progress.isComplete { counts.insert(try reader.itemCount()) }
    }
    #expect(counts == [3])
    #expect(try reader.itemCount() == 500)
  }

  @Test("an error thrown from the last progress report is ignored")
  func throwAtEnd() throws {
    let db = try Database.temporary()
    let other = try Database.temporary()
    try db.makeItems()
    try db.backup(to: other) { progress in
      if progress.isComplete { throw Abandoned() }
    }
    #expect(try other.itemCount() == 500)
  }

  @Test("a backup into the source itself, its file, or a read-only database is refused")
  func refused() throws {
    let folder = try TemporaryFolder()
    let db = try Database(path: folder.file())
    try db.makeItems(3)
    var configuration = Configuration()
    configuration.isReadOnly = true
    let readOnly = try Database(path: folder.file(), configuration: configuration)
    #expect(code { try db.backup(to: db) } == .misuse)
    #expect(code { try db.backup(to: try Database(path: folder.file())) } == .misuse)
    #expect(code { try Database.temporary().backup(to: readOnly) } == .readOnly)
    let memory = try Database.inMemory()
    #expect(code { try db.backup(to: memory) { _ in _ = try memory.itemCount() } } == nil)
    #expect(
      code { try db.backup(to: memory, pagesPerStep: 1) { _ in _ = try memory.itemCount() } }
        == .misuse)
    #expect(try memory.itemCount() == 3)
  }

  @Test("a destination in use with another page size is refused and left unchanged")
  func pageSize() throws {
    let folder = try TemporaryFolder()
    let large = try Connection(path: folder.file())
    try large.execute("PRAGMA journal_mode = DELETE; PRAGMA page_size = 8192; VACUUM")
    try large.execute("CREATE TABLE item (id INTEGER PRIMARY KEY)")
    let db = try Database(path: folder.file())
    #expect(try db.row("PRAGMA page_size")?.get(Int.self, at: 0) == 8192)
    let other = try Database.temporary()
    try other.makeItems(3)
    #expect(code { try db.backup(to: other) } == .readOnly)
    #expect(try other.itemCount() == 3)
  }

  @Test("a damaged source leaves the destination unchanged", arguments: Place.allCases)
  func damagedSource(place: Place) throws {
    let folder = try TemporaryFolder()
    let good = try Database.temporary()
    try good.makeItems()
    try good.backup(to: folder.file())
    try damage(folder.file())
    let other = try place.open()
    try other.makeItems(3)
    #expect(code { try Database(path: folder.file()).backup(to: other) } == .corrupt)
    #expect(try other.itemCount() == 3)
  }
}
