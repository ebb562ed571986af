import CSQLite
import Foundation
import Synchronization
import TestRun
import Testing

@testable import SQLCore

@Suite("Keys of encrypted files", .blocking)
struct EncryptionTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func keyed(_ key: String) -> Configuration {
    .with { $0.unlockConnection = { try $0.setEncryptionKey(key.utf8) } }
  }

  private func size(_ path: String) throws -> Int {
    guard FileManager.default.fileExists(atPath: path) else { return 0 }
    return try Data(contentsOf: URL(filePath: path)).count
  }

  private func words(_ db: Database) throws -> [[DatabaseValue]] {
    try db.rows("SELECT word FROM secret ORDER BY word").map(\.values)
  }

  @Test("every connection to a file is unlocked before its first statement, and none in memory")
  func first() async throws {
    let unlocked = Mutex<[String]>([])
    let configuration = Configuration.with {
      $0.unlockConnection = { connection in
        let handle = try connection.use().handle
        // A connection that has read the file knows its pages.
        let pages = try connection.count(of: .cacheHits) + connection.count(of: .cacheMisses)
        let isFirst = sqlite3_next_stmt(handle, nil) == nil && pages == 0
        let late = "\(pages) pages of \(try connection.databases)"
        unlocked.withLock { $0.append(isFirst ? "first" : late) }
      }
    }
    func count() -> Int { unlocked.withLock { $0.count } }
    let db = try Database(path: folder.file(), configuration: configuration)
    #expect(count() == 1)
    try await db.execute("CREATE TABLE secret (word TEXT); INSERT INTO secret VALUES ('swift')")
    #expect(try words(db).count == 1)
    #expect(count() == 2)
    let snapshot = try await db.makeSnapshot()
    #expect(count() == 3)
    #expect(try await snapshot.rows("SELECT * FROM secret").count == 1)
    for try await _ in db.stream("SELECT * FROM secret") {}
    let before = count()
    try await db.backup(to: folder.file("copy.sqlite"))
    try await db.backup(to: folder.file("copy.sqlite"), overwriting: true)
    try await db.vacuum(into: folder.file("compact.sqlite"))
    // Each copy is written, sealed and verified; the one that is replaced is locked.
    #expect(count() >= before + 8)
    #expect(Set(unlocked.withLock { $0 }) == ["first"])
    let files = count()
    let memory = try Database.inMemory(configuration: configuration)
    try await memory.execute("CREATE TABLE secret (word TEXT)")
    #expect(count() == files)
  }

  @Test("an error of the closure is thrown with the path, and nothing is written")
  func refused() throws {
    let error = #expect(throws: DatabaseError.self) {
      try Database(
        path: folder.file(),
        configuration: .with { $0.unlockConnection = { _ in throw DatabaseError.misuse("no key") } }
      )
    }
    #expect(error?.message == "\(folder.file()): no key")
    #expect(try size(folder.file()) == 0)
  }

  @Test("a key for an SQLite that cannot encrypt is an error, and writes nothing in plain text")
  func unable() throws {
    guard !SQLiteLibrary.Feature.encryption.isAvailable else { return }
    let error = #expect(throws: DatabaseError.self) {
      try Database(path: folder.file(), configuration: keyed("secret"))
    }
    #expect(error?.message.contains("cannot encrypt files, as SQLCipher can") == true)
    #expect(try size(folder.file()) == 0)
  }

  @Test(
    "an encrypted file is written, read by several readers, and copied with its key",
    .needs(.encryption))
  func copies() async throws {
    let db = try Database(path: folder.file(), configuration: keyed("open sesame"))
    try await db.execute("CREATE TABLE secret (word TEXT); INSERT INTO secret VALUES ('plainword')")
    let counts = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<8 { group.addTask { try await db.rows("SELECT * FROM secret").count } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(counts == Array(repeating: 1, count: 8))
    let rows = try words(db)
    try await db.backup(to: folder.file("backup.sqlite"))
    try await db.backup(to: folder.file("backup.sqlite"), overwriting: true)
    try await db.vacuum(into: folder.file("compact.sqlite"))
    try await Database(path: folder.file("plain.sqlite")).execute("CREATE TABLE t (x)")
    try await db.backup(to: folder.file("plain.sqlite"), overwriting: true)
    let other = try Database(path: folder.file("other.sqlite"), configuration: keyed("another"))
    try await db.backup(to: other)
    #expect(try words(other) == rows)
    try await other.close()
    try await db.close()
    for (name, key) in [
      ("database", "open sesame"), ("backup", "open sesame"), ("compact", "open sesame"),
      ("plain", "open sesame"), ("other", "another"),
    ] {
      let path = folder.file(name + ".sqlite")
      var bytes = try Data(contentsOf: URL(filePath: path))
      #expect(bytes.range(of: Data("SQLite format".utf8)) == nil, "\(name)")
      #expect(bytes.range(of: Data("plainword".utf8)) == nil, "\(name)")
      #expect(try words(Database(path: path, configuration: keyed(key))) == rows, "\(name)")
      bytes = try Data(contentsOf: URL(filePath: path))
      let wrong = #expect(throws: DatabaseError.self, "\(name)") {
        try Database(path: path, configuration: keyed("guess"))
      }
      #expect(wrong?.code == .notADatabase && wrong?.message.contains("the key is wrong") == true)
      let missing = #expect(throws: DatabaseError.self, "\(name)") { try Database(path: path) }
      #expect(missing?.code == .notADatabase && missing?.message.contains("encrypted") == true)
      #expect(try Data(contentsOf: URL(filePath: path)) == bytes, "\(name)")
    }
  }
}
