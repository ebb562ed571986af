import Foundation
import SQLCore
import TestRun
import Testing

@Suite("The file of a database", .blocking)
struct DatabaseFileTests {
  private let folder: TemporaryFolder
  private let other: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    other = try TemporaryFolder()
  }

  private func make(_ path: String, holding name: String) throws {
    let db = try Database(path: path)
    try db.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT)")
    try db.execute("INSERT INTO item (name) VALUES (\(name))")
  }

  private func names(_ db: Database) throws -> [String] {
    try db.fetch(String.self, "SELECT name FROM item ORDER BY id")
  }

  @Test(
    "a relative path means the same file after the working folder changed",
    arguments: [true, false])
  func workingFolder(hasNamesake: Bool) throws {
    if hasNamesake {
      try make(other.file("data.sqlite"), holding: "another")
      try Database(path: other.file("attached.sqlite")).execute("CREATE TABLE note (name TEXT)")
    }
    let before = other.fileNames
    let child = try ChildProcess("wander", folder.path, other.path)
    // The system may spell the path of the temporary folder differently.
    #expect(child.line().hasSuffix("\((folder.path as NSString).lastPathComponent)/data.sqlite"))
    #expect(child.line() == "read [\"first\"]")
    #expect(child.line() == "attached [\"first\"]")
    #expect(child.line() == "snapshot [\"first\"]")
    #expect(child.line() == "stream first")
    #expect(child.line() == "chunk first")
    #expect(child.wait() == 0)
    // The copies are created in the new working folder, and no other file is.
    #expect(other.fileNames == (before + ["copy.sqlite", "vacuumed.sqlite"]).sorted())
    #expect(try names(Database(path: other.file("copy.sqlite"))) == ["first"])
    #expect(try names(Database(path: other.file("vacuumed.sqlite"))) == ["first"])
  }

  /// Expects a refusal from each use that opens the file again.
  private func expectRefusal(
    of db: Database, naming words: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let copy = other.file("copy.sqlite")
    let uses: [() throws -> Void] = [
      { _ = try self.names(db) }, { _ = try db.makeSnapshot() }, { try db.backup(to: copy) },
      { try db.vacuum(into: copy) },
    ]
    for use in uses {
      let error = #expect(throws: DatabaseError.self, sourceLocation: sourceLocation) {
        try use()
      }
      #expect(error?.code.primary == .cannotOpen, sourceLocation: sourceLocation)
      #expect(
        error?.message.contains(words) == true, "\(error?.message ?? "")",
        sourceLocation: sourceLocation)
    }
    #expect(!FileManager.default.fileExists(atPath: copy), sourceLocation: sourceLocation)
  }

  @Test("a reader does not create a deleted file again")
  func deleted() throws {
    let path = folder.file()
    let db = try Database(path: path)
    try db.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT)")
    for suffix in ["", "-wal", "-shm"] {
      try FileManager.default.removeItem(atPath: path + suffix)
    }
    try expectRefusal(of: db, naming: "moved or deleted")
    #expect(folder.fileNames.isEmpty)
  }

  @Test("a file that replaced the database's file is not read")
  func replaced() throws {
    let path = folder.file()
    let db = try Database(path: path)
    try db.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT)")
    try db.execute("INSERT INTO item (name) VALUES ('first')")
    for suffix in ["", "-wal", "-shm"] {
      try FileManager.default.moveItem(atPath: path + suffix, toPath: folder.file("old" + suffix))
    }
    try make(path, holding: "another")
    try expectRefusal(of: db, naming: "no longer the one")
    #expect(try names(Database(path: path)) == ["another"])
  }

  @Test("a database keeps its file after its link points elsewhere")
  func movedLink() throws {
    try make(folder.file("one.sqlite"), holding: "first")
    try make(folder.file("two.sqlite"), holding: "another")
    let link = folder.file("link.sqlite")
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: "one.sqlite")
    let db = try Database(path: link)
    #expect(db.path == link)
    try FileManager.default.removeItem(atPath: link)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "two.sqlite")
    #expect(try names(db) == ["first"])
    let copy = other.file("copy.sqlite")
    try db.backup(to: copy)
    #expect(try names(Database(path: copy)) == ["first"])
  }

  @Test("links and `..` in a path are resolved as the system resolves them")
  func parentOfLink() throws {
    try FileManager.default.createDirectory(
      atPath: folder.file("real/inner"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("link"), withDestinationPath: "real/inner")
    try make(folder.file("link/../data.sqlite"), holding: "first")
    #expect(try names(Database(path: folder.file("real/data.sqlite"))) == ["first"])
    #expect(!folder.fileNames.contains("data.sqlite"))
  }
}
