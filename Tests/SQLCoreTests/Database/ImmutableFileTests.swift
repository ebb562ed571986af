import Foundation
import SQLCore
import Testing

/// Root may write everywhere, so a dangling link takes the place of the shared-memory file.
@Suite("Immutable files in WAL mode")
struct ImmutableFileTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder(named: " with % and ?")
    try Database(path: folder.file()).makeItems(10)
  }

  private var immutable: Configuration {
    var configuration = Configuration()
    configuration.isImmutable = true
    return configuration
  }

  private func blockSharedMemory() throws {
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("database.sqlite-shm"), withDestinationPath: "none/at/all")
  }

  @Test("a file that allows no companion files is read by several readers at once")
  func read() async throws {
    try blockSharedMemory()
    let db = try Database(path: folder.file(), configuration: immutable)
    let names = folder.fileNames
    try await withThrowingTaskGroup { group in
      for _ in 0..<20 {
        group.addTask {
          try await db.read { connection in
            let rows = try connection.rows("SELECT * FROM item")
            #expect(rows.count == 10)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(folder.fileNames == names)
    #expect(!names.contains("database.sqlite-wal"))
  }

  @Test("without `isImmutable`, the error names that setting")
  func advice() throws {
    try blockSharedMemory()
    var configuration = Configuration()
    configuration.isReadOnly = true
    do {
      _ = try Database(path: folder.file(), configuration: configuration)
      Issue.record("it opened")
    } catch let error as DatabaseError {
      #expect(error.code.primary == .cannotOpen)
      #expect(error.message.contains("isImmutable"))
    }
  }

  @Test("an immutable database is read-only, and a write throws")
  func write() throws {
    let db = try Database(path: folder.file(), configuration: immutable)
    #expect(db.configuration.isReadOnly)
    #expect(code { try db.execute("DELETE FROM item") } == .readOnly)
    #expect(try db.itemCount() == 10)
  }

  @Test("an immutable file with changes in a log beside it is refused")
  func pendingLog() throws {
    let copy = folder.file("copy.sqlite")
    let db = try Database(path: folder.file())
    try db.makeItems(1)
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: folder.file() + suffix, toPath: copy + suffix)
    }
    #expect(code { _ = try Database(path: copy, configuration: immutable) } == .cannotOpen)
    // Once the file was opened with write access, the changes of the log are in it.
    #expect(try Database(path: copy).itemCount() == 11)
    #expect(try Database(path: copy, configuration: immutable).itemCount() == 11)
  }

  @Test("an immutable file with a hot journal is refused, since SQLite would not roll it back")
  func hotJournal() throws {
    // The first bytes of every journal that has to be rolled back.
    let journal = Data([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]) + Data(count: 504)
    #expect(FileManager.default.createFile(atPath: folder.file() + "-journal", contents: journal))
    #expect(code { _ = try Database(path: folder.file(), configuration: immutable) } == .cannotOpen)
  }

  @Test("an empty log and a zeroed journal hold no changes, so the file opens")
  func emptyLog() throws {
    #expect(FileManager.default.createFile(atPath: folder.file() + "-wal", contents: nil))
    let journal = Data(count: 512)
    #expect(FileManager.default.createFile(atPath: folder.file() + "-journal", contents: journal))
    #expect(try Database(path: folder.file(), configuration: immutable).itemCount() == 10)
  }

  @Test("an immutable file can be backed up and vacuumed into a file")
  func backup() throws {
    try blockSharedMemory()
    let db = try Database(path: folder.file(), configuration: immutable)
    try db.backup(to: folder.file("copy.sqlite"))
    try db.vacuum(into: folder.file("vacuumed.sqlite"))
    for name in ["copy.sqlite", "vacuumed.sqlite"] {
      #expect(try Database(path: folder.file(name)).content() == db.content())
    }
  }
}
