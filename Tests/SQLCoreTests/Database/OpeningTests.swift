import Foundation
import Testing

@testable import SQLCore

@Suite("Opening a database")
struct OpeningTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func openingError(
    _ path: String, _ configuration: Configuration = Configuration(),
    sourceLocation: SourceLocation = #_sourceLocation
  ) -> DatabaseError? {
    let error = #expect(throws: DatabaseError.self, sourceLocation: sourceLocation) {
      try Database(path: path, configuration: configuration)
    }
    #expect(error?.message.hasPrefix("\(path): ") == true, sourceLocation: sourceLocation)
    return error
  }

  private var readOnly: Configuration { .with { $0.isReadOnly = true } }

  @Test("a database in memory is separate from all others")
  func memory() throws {
    let db = try Database.inMemory()
    try db.execute("CREATE TABLE note (n)")
    #expect(db.path == nil)
    #expect(try db.row("SELECT count(*) FROM note")?[0] == 0)
    #expect(throws: DatabaseError.self) { try Database.inMemory().row("SELECT * FROM note") }
  }

  @Test("a missing file is created in WAL mode and opens again")
  func file() throws {
    for name in ["a.sqlite", "with space.db", "ä%20?#.db", "file.db?mode=memory"] {
      let path = folder.file(name)
      try Database(path: path).execute("CREATE TABLE note (n); INSERT INTO note VALUES (7)")
      #expect(folder.fileNames.contains(name))
      let db = try Database(path: path)
      #expect(db.path == path)
      #expect(try db.row("SELECT n FROM note")?[0] == 7)
      #expect(try db.journalMode == "wal")
    }
    #expect(folder.fileNames.count == 4)
  }

  @Test("a temporary file has the full pool and is removed with its database")
  func temporary() throws {
    var db: Database? = try Database.temporary()
    try db?.execute("CREATE TABLE note (n)")
    let path = try #require(db?.path)
    #expect(FileManager.default.fileExists(atPath: path))
    #expect(try db?.journalMode == "wal")
    let other = try Database.temporary()
    #expect(other.path != path)
    db = nil
    #expect(!FileManager.default.fileExists(atPath: path))
    let parent = URL(filePath: path).deletingLastPathComponent()
    #expect(!FileManager.default.fileExists(atPath: parent.path(percentEncoded: false)))
  }

  @Test("a temporary folder may have a name that needs escapes in a URL")
  func temporaryFolderName() throws {
    let odd = try TemporaryFolder(named: " ä %20#")
    var file: TemporaryFile? = try TemporaryFile(
      in: URL(filePath: odd.path, directoryHint: .isDirectory))
    try Connection(path: try #require(file?.path)).execute("CREATE TABLE note (n)")
    #expect(odd.fileNames.count == 1)
    file = nil
    #expect(odd.fileNames.isEmpty)
  }

  @Test(
    "a file that is not a database is refused and left unchanged", arguments: [2, 5, 100, 5_000])
  func noDatabase(size: Int) throws {
    let path = folder.file()
    let content = Data(repeating: UInt8(ascii: "x"), count: size)
    try content.write(to: URL(filePath: path))
    for configuration in [Configuration(), readOnly] {
      let error = openingError(path, configuration)
      #expect(error?.code.primary == .notADatabase)
      #expect(error?.message.contains("the file is not an SQLite database") == true)
    }
    #expect(try Data(contentsOf: URL(filePath: path)) == content)
  }

  @Test("an empty file is an empty database")
  func emptyFile() throws {
    try Data().write(to: URL(filePath: folder.file()))
    try Database(path: folder.file()).execute("CREATE TABLE note (n)")
  }

  @Test("a folder cannot be opened, for writing or for reading")
  func folderAsFile() throws {
    for configuration in [Configuration(), readOnly] {
      let error = openingError(folder.path, configuration)
      #expect(error?.code.primary == .cannotOpen, "\(String(describing: error))")
      #expect(error?.message.contains("folder") == true)
    }
  }

  @Test("a missing folder is refused and not created")
  func missingFolder() throws {
    let error = openingError(folder.path + "/missing/database.sqlite")
    #expect(error?.code.primary == .cannotOpen)
    #expect(folder.fileNames.isEmpty)
  }

  @Test("a path with U+0000 is refused, since its rest would be lost")
  func zeroInPath() {
    let error = #expect(throws: DatabaseError.self) { try Database(path: folder.file("a\u{0}b")) }
    #expect(error?.code == .cannotOpen)
    #expect(folder.fileNames.isEmpty)
  }

  @Test("damage is reported when the file is read, and the connection stays usable")
  func damaged() throws {
    let path = folder.file()
    try Database(path: path).execute(
      "CREATE TABLE note (n); INSERT INTO note VALUES (zeroblob(20000))")
    var content = try Data(contentsOf: URL(filePath: path))
    content.replaceSubrange(4_096..<8_192, with: Data(repeating: 0xFF, count: 4_096))
    try content.write(to: URL(filePath: path))
    let db = try Database(path: path)
    let error = #expect(throws: DatabaseError.self) { try db.rows("SELECT * FROM note") }
    #expect(error?.code.primary == .corrupt)
    #expect(throws: DatabaseError.self) { try db.execute("INSERT INTO note VALUES (1)") }
    #expect(try db.row("SELECT 1")?[0] == 1)
  }

  @Test("a read-only file can be read, and writing throws read-only")
  func readOnlyFile() throws {
    let path = folder.file()
    try Database(path: path).execute("CREATE TABLE note (n); INSERT INTO note VALUES (7)")
    for configuration in [readOnly, .untrustedFile] {
      let db = try Database(path: path, configuration: configuration)
      #expect(db.configuration.isReadOnly)
      #expect(try db.row("SELECT n FROM note")?[0] == 7)
      for write: () throws -> Void in [
        { try db.execute("INSERT INTO note VALUES (8)") }, { try db.write { _ in } },
        { try db.writeWithoutTransaction { try $0.execute("CREATE TABLE other (n)") } },
        { try db.writeWithoutTransaction { try $0.execute("PRAGMA query_only = 0") } },
      ] {
        let error = #expect(throws: DatabaseError.self) { try write() }
        #expect(error?.code.primary == .readOnly)
        #expect(error?.message == "the database was opened with `Configuration.isReadOnly`")
      }
      #expect(try db.row("SELECT count(*) FROM note")?[0] == 1)
    }
  }

  @Test("a file can be opened by a URI with `mode=ro`")
  func readOnlyURI() throws {
    let path = folder.file()
    try Database(path: path).execute("CREATE TABLE note (n); INSERT INTO note VALUES (7)")
    let db = try Database(path: "file:\(path)?mode=ro", configuration: readOnly)
    #expect(try db.row("SELECT n FROM note")?[0] == 7)
  }

  @Test("opening read-only does not create a missing file")
  func readOnlyMissing() {
    let error = openingError(folder.file(), readOnly)
    #expect(error?.code.primary == .cannotOpen)
    #expect(folder.fileNames.isEmpty)
  }

  @Test("a view of an untrusted file cannot call a function that is not innocuous")
  func untrusted() throws {
    let db = try Database(path: folder.file())
    try db.execute("CREATE VIEW mine AS SELECT * FROM apus_array(NULL)")
    #expect(try db.rows("SELECT * FROM mine").isEmpty)
    let untrusted = try Database(path: folder.file(), configuration: .untrustedFile)
    #expect(throws: DatabaseError.self) { try untrusted.rows("SELECT * FROM mine") }
  }

  @Test("a reader that cannot be opened throws and frees its place in the pool")
  func readerFails() async throws {
    struct Failure: Error {}
    let fails = Lock(false)
    let db = try Database(
      path: folder.file(),
      configuration: .with {
        $0.maximumReaders = 1
        $0.prepareConnection = { _ in if fails.withLock({ $0 }) { throw Failure() } }
      })
    fails.withLock { $0 = true }
    for _ in 0..<3 {
      await #expect(throws: Failure.self) { try await db.read { _ in } }
      #expect(throws: Failure.self) { try db.read { _ in } }
    }
    fails.withLock { $0 = false }
    #expect(try await db.read { try $0.value(Int.self, "SELECT 7") } == 7)
  }
}

extension Database {
  /// SQLite treats the query of the journal mode as a write.
  fileprivate var journalMode: String? {
    get throws { try writeWithoutTransaction { try $0.value(String.self, "PRAGMA journal_mode") } }
  }
}
