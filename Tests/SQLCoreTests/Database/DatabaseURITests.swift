import Foundation
import SQLCore
import Testing

@Suite("URIs as database paths")
struct DatabaseURITests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder(named: " with % and ?")
    try Database(path: folder.file()).execute(
      "CREATE TABLE item (name TEXT); INSERT INTO item VALUES ('first')")
  }

  /// The path of the folder, percent-encoded.
  private var encoded: String {
    folder.path.replacing("%", with: "%25").replacing("?", with: "%3f").replacing(" ", with: "%20")
  }

  private func names(_ db: Database) throws -> [String] {
    try db.fetch(String.self, "SELECT name FROM item")
  }

  @Test(
    "the path of a URI is decoded, and every connection opens that file",
    arguments: ["file:", "file://", "file://localhost"])
  func decoded(scheme: String) throws {
    let db = try Database(path: "\(scheme)\(encoded)/database.sqlite?psow=1#fragment")
    #expect(db.path == folder.file())
    try db.execute("INSERT INTO item VALUES ('second')")
    #expect(try names(db) == ["first", "second"])
    let copy = folder.file("copy.sqlite")
    try db.backup(to: copy)
    #expect(try names(Database(path: copy)) == ["first", "second"])
  }

  @Test("`mode=ro` and `immutable=1` set the matching configuration")
  func readOnly() throws {
    let names = folder.fileNames
    let db = try Database(path: "file:\(encoded)/database.sqlite?mode=ro")
    #expect(db.configuration.isReadOnly && !db.configuration.isImmutable)
    #expect(try self.names(db) == ["first"])
    let error = #expect(throws: DatabaseError.self) { try db.execute("DELETE FROM item") }
    #expect(error?.code.primary == .readOnly)
    let immutable = try Database(path: "file:\(encoded)/database.sqlite?immutable=1")
    #expect(immutable.configuration.isImmutable)
    #expect(try self.names(immutable) == ["first"])
    #expect(folder.fileNames.filter { !$0.hasSuffix("-shm") && !$0.hasSuffix("-wal") } == names)
  }

  @Test("`mode=ro` and `mode=rw` create no file, and `mode=rwc` does")
  func mode() throws {
    let before = folder.fileNames
    for mode in ["ro", "rw"] {
      let error = #expect(throws: DatabaseError.self) {
        try Database(path: "file:\(encoded)/new.sqlite?mode=\(mode)")
      }
      #expect(error?.code.primary == .cannotOpen)
      #expect(error?.message.contains("there is no such file") == true)
    }
    #expect(folder.fileNames == before)
    let db = try Database(path: "file:\(encoded)/new.sqlite?mode=rwc")
    try db.execute("CREATE TABLE item (name TEXT)")
    #expect(try names(db) == [])
    #expect(folder.fileNames.contains("new.sqlite"))
  }

  @Test(
    "readers and the writer share a database in memory or without a name",
    arguments: [
      "file::memory:", "file:apus-test?mode=memory&cache=shared", "file::memory:?cache=shared",
      "file:/apus-test?vfs=memdb", "file:", "", ":memory:",
    ])
  func memory(path: String) async throws {
    let db = try Database(path: path)
    #expect(db.path == nil)
    try await db.execute("CREATE TABLE item (name TEXT); INSERT INTO item VALUES ('first')")
    #expect(try names(db) == ["first"])
    #expect(try await db.read { try $0.fetch(String.self, "SELECT name FROM item") } == ["first"])
    var streamed: [String] = []
    for try await name in db.stream(String.self, "SELECT name FROM item") { streamed.append(name) }
    #expect(streamed == ["first"])
    let copy = try Database.inMemory()
    try await db.backup(to: copy)
    #expect(try names(copy) == ["first"])
  }

  @Test(
    "a URI that SQLite would refuse or misread is refused",
    arguments: [
      ("file://host/database.sqlite", "localhost"), ("file:/a%00b", "U+0000"),
      ("file:/a.sqlite?mode=none", "mode"), ("file:/a%ff.sqlite", "UTF-8"),
    ])
  func refused(path: String, words: String) {
    let error = #expect(throws: DatabaseError.self) { try Database(path: path) }
    #expect(error?.code.primary == .cannotOpen)
    #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
  }
}
