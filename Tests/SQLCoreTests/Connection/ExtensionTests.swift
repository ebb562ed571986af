import Foundation
import TestRun
import Testing

@testable import SQLCore

@Suite("Extensions of SQLite", .blocking, .needs(.extensions))
struct ExtensionTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private static let code = """
    #include <sqlite3ext.h>
    SQLITE_EXTENSION_INIT1
    static void twice(sqlite3_context *c, int n, sqlite3_value **v) {
      sqlite3_result_int64(c, 2 * sqlite3_value_int64(v[0]));
    }
    int sqlite3_doubling_init(sqlite3 *db, char **message, const sqlite3_api_routines *api) {
      SQLITE_EXTENSION_INIT2(api);
      int code = sqlite3_create_function(
          db, "twice", 1, SQLITE_UTF8 | SQLITE_INNOCUOUS | SQLITE_DETERMINISTIC, 0, twice, 0, 0);
      return code ? code : sqlite3_create_function(db, "plain", 1, SQLITE_UTF8, 0, twice, 0, 0);
    }
    int refuse(sqlite3 *db, char **message, const sqlite3_api_routines *api) {
      SQLITE_EXTENSION_INIT2(api);
      *message = sqlite3_mprintf("not on a Monday");
      return SQLITE_ERROR;
    }
    """

  /// Compiles the extension above, and returns its path.
  private func library(_ name: String = "doubling.so") throws -> String {
    let source = folder.file("doubling.c")
    try Self.code.write(toFile: source, atomically: true, encoding: .utf8)
    let compiler = Process()
    compiler.executableURL = URL(filePath: "/usr/bin/env")
    compiler.arguments = ["clang", "-shared", "-fPIC", "-o", folder.file(name), source]
    try compiler.run()
    compiler.waitUntilExit()
    try #require(compiler.terminationStatus == 0)
    return folder.file(name)
  }

  private func configuration(_ extensions: SQLiteExtension...) -> Configuration {
    .with { $0.extensions = extensions }
  }

  private func failure(_ library: SQLiteExtension) -> ExtensionError? {
    #expect(throws: ExtensionError.self) { try folder.connection(configuration(library)) }
  }

  @Test("every connection of the pool has the functions of an extension, and no SQL can load one")
  func pool() async throws {
    let path = try library()
    let db = try Database(
      path: folder.file("pool.sqlite"), configuration: configuration(SQLiteExtension(path: path)))
    let select: SQL = "SELECT twice(21)"
    // The readers are lent at the same time, so that each is another connection.
    let sums = try await withThrowingTaskGroup(of: Int?.self) { group in
      for _ in 0..<db.configuration.maximumReaders {
        group.addTask { try await db.read { try $0.value(Int.self, select) } }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(sums == [42, 42, 42, 42])
    #expect(try await db.write { try $0.value(Int.self, select) } == 42)
    try await db.execute(
      "CREATE TABLE t (a INTEGER, b INTEGER AS (twice(a))); INSERT INTO t (a) VALUES (4)")
    #expect(try await db.read { try $0.value(Int.self, "SELECT b FROM t") } == 8)
    let loading: SQL = "SELECT load_extension(\(path))"
    let read = await #expect(throws: DatabaseError.self) {
      try await db.read { _ = try $0.rows(loading) }
    }
    let written = await #expect(throws: DatabaseError.self) {
      try await db.write { _ = try $0.rows(loading) }
    }
    #expect(read?.message == "not authorized" && written?.message == "not authorized")
  }

  @Test("a relative path is completed when the extension is named, not when a connection opens")
  func relativePath() throws {
    #expect(
      SQLiteExtension(path: "a/b.so").path == FileManager.default.currentDirectoryPath + "/a/b.so")
    #expect(SQLiteExtension(path: "mod_spatialite").path == "mod_spatialite")
    // SQLite adds the suffix.
    let path = try library()
    let connection = try folder.connection(
      configuration(SQLiteExtension(path: String(path.dropLast(3)))))
    #expect(try connection.value(Int.self, "SELECT twice(1)") == 2)
  }

  @Test("an entry point can be named, and an extension may refuse")
  func entryPoint() throws {
    let path = try library("other.so")
    // SQLite looks for sqlite3_other_init.
    let missing = failure(SQLiteExtension(path: path))
    #expect(missing?.reason == .missingEntryPoint && missing?.path == path)
    #expect(missing?.message.contains("SQLiteExtension(path:entryPoint:)") == true)
    let wrong = failure(SQLiteExtension(path: path, entryPoint: "nothing"))
    #expect(wrong?.reason == .missingEntryPoint && wrong?.entryPoint == "nothing")
    #expect(wrong?.message.contains("nm -D") == true)
    let refused = failure(SQLiteExtension(path: path, entryPoint: "refuse"))
    #expect(refused?.reason == .failed)
    #expect(refused?.message.contains("not on a Monday") == true)
    let connection = try folder.connection(
      configuration(SQLiteExtension(path: path, entryPoint: "sqlite3_doubling_init")))
    #expect(try connection.value(Int.self, "SELECT twice(2)") == 4)
  }

  @Test("a file that is missing, is no library or is for another processor is named in the error")
  func unloadable() throws {
    let missing = failure(SQLiteExtension(path: folder.file("none.so")))
    #expect(missing?.reason == .missingFile && missing?.path == folder.file("none.so"))
    #expect(missing.map { "\($0)".contains("Configuration.extensions") } == true)
    try "text".write(toFile: folder.file("text.so"), atomically: true, encoding: .utf8)
    let text = failure(SQLiteExtension(path: folder.file("text.so")))
    #expect(text?.reason == .notLoadable && text?.message.contains("processor") == true)
    let made = try FileManager.default.contents(atPath: library()) ?? Data()
    var foreign = made
    // The kind of processor in the header of the file: 0xF7 is BPF.
    foreign.replaceSubrange(18..<20, with: [0xF7, 0x00])
    try foreign.write(to: URL(filePath: folder.file("foreign.so")))
    let other = failure(SQLiteExtension(path: folder.file("foreign.so")))
    #expect(other?.reason == .notLoadable && other?.path == folder.file("foreign.so"))
    let library = failure(SQLiteExtension(path: "no_such_library_anywhere"))
    #expect(library?.reason == .notLoadable)
    #expect(failure(SQLiteExtension(path: "/"))?.reason == .notLoadable)
    #expect(failure(SQLiteExtension(path: "/a\u{0}b"))?.reason == .missingFile)
  }

  @Test("views of an untrusted file may use only innocuous functions of an extension")
  func untrusted() throws {
    let path = try library()
    let file = folder.file("untrusted.sqlite")
    do {
      let db = try Database(path: file, configuration: configuration(SQLiteExtension(path: path)))
      try db.execute(
        "CREATE VIEW v AS SELECT twice(3) AS n; CREATE VIEW w AS SELECT plain(3) AS n")
      #expect(try db.read { try $0.value(Int.self, "SELECT n FROM w") } == 6)
    }
    var untrusted = Configuration.untrustedFile
    untrusted.extensions = [SQLiteExtension(path: path)]
    let db = try Database(path: file, configuration: untrusted)
    #expect(try db.read { try $0.value(Int.self, "SELECT n FROM v") } == 6)
    #expect(try db.read { try $0.value(Int.self, "SELECT plain(1)") } == 2)
    let error = #expect(throws: DatabaseError.self) {
      try db.read { try $0.value(Int.self, "SELECT n FROM w") }
    }
    #expect(error?.message.contains("unsafe use of plain") == true)
  }
}
