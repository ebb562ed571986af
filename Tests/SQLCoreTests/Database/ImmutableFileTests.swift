import Foundation
import SQLCore
import Testing

/// Root may write everywhere, so a link that leads nowhere stands where SQLite would make its shared
/// memory.
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

  @Test("a file beside which nothing can be made is read, by several readers at once")
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

  @Test("without it, the error says what to do")
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

  @Test("it is read-only: a write throws")
  func write() throws {
    let db = try Database(path: folder.file(), configuration: immutable)
    #expect(db.configuration.isReadOnly)
    #expect(code { try db.execute("DELETE FROM item") } == .readOnly)
    #expect(try db.itemCount() == 10)
  }

  @Test("changes in a log beside it are not passed over in silence: it is refused")
  func pendingLog() throws {
    let copy = folder.file("copy.sqlite")
    let db = try Database(path: folder.file())
    try db.makeItems(1)
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: folder.file() + suffix, toPath: copy + suffix)
    }
    #expect(code { _ = try Database(path: copy, configuration: immutable) } == .cannotOpen)
    // Opened once where it can be written, the log is in the file.
    #expect(try Database(path: copy).itemCount() == 11)
    #expect(try Database(path: copy, configuration: immutable).itemCount() == 11)
  }

  @Test("a hot journal is refused: SQLite would not roll it back")
  func hotJournal() throws {
    // How each journal begins that is to be rolled back.
    let journal = Data([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]) + Data(count: 504)
    #expect(FileManager.default.createFile(atPath: folder.file() + "-journal", contents: journal))
    #expect(code { _ = try Database(path: folder.file(), configuration: immutable) } == .cannotOpen)
  }

  @Test("an empty log, and a journal that was only kept, hold no changes")
  func emptyLog() throws {
    #expect(FileManager.default.createFile(atPath: folder.file() + "-wal", contents: nil))
    let journal = Data(count: 512)
    #expect(FileManager.default.createFile(atPath: folder.file() + "-journal", contents: journal))
    #expect(try Database(path: folder.file(), configuration: immutable).itemCount() == 10)
  }

  @Test("D23 it is backed up, and vacuumed into a file")
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
