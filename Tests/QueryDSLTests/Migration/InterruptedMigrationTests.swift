import Foundation
import QueryDSL
import SQLCore
import Testing

/// A large table with rows that refer to it ON DELETE CASCADE, in a file of its own.
private final class LargeFile {
  static let items = 100_000
  static let parts = 20_000
  static let table = """
    CREATE TABLE Item (id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL, size TEXT NOT NULL,
      old TEXT);
    CREATE TABLE Part (id INTEGER PRIMARY KEY NOT NULL,
      itemID INTEGER NOT NULL REFERENCES Item (id) ON DELETE CASCADE);
    CREATE INDEX mine ON Item (size) WHERE size <> '';
    CREATE TABLE log (text);
    CREATE TRIGGER t AFTER DELETE ON Item BEGIN INSERT INTO log VALUES (old.name); END;
    CREATE VIEW v AS SELECT id, size FROM Item;
    """

  let folder: URL
  var original: String { folder.appending(path: "original.sqlite").path() }
  let schema: [String]

  init(rows: Int = items) throws {
    folder = FileManager.default.temporaryDirectory
      .appending(path: "apus-migration-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let path = folder.appending(path: "original.sqlite").path()
    let db = try Database(path: path)
    try db.execute(SQL(unsafe: Self.table))
    try db.execute(
      """
      WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
      INSERT INTO Item SELECT i, 'name ' || i, CAST(i % 50 AS TEXT), 'old' FROM n
      """)
    try db.execute(
      """
      WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(min(rows, Self.parts)))
      INSERT INTO Part SELECT i, i FROM n
      """)
    schema = try Self.schema(of: db)
    try db.close()
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func copy(_ name: String) throws -> String {
    let path = folder.appending(path: "\(name).sqlite").path()
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: path + suffix)
    }
    try FileManager.default.copyItem(atPath: original, toPath: path)
    return path
  }

  static func schema(of db: Database) throws -> [String] {
    try db.rows("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name").map {
      try $0.get(String.self, at: 0)
    }
  }
}

@Suite("Migration: ended half-way, the old schema or the new one, whole")
struct InterruptedMigrationTests {
  static let kinds = ["add", "type", "null", "drop", "rename", "check", "index", "steps"]

  /// The rows are all there, and so are those that refer to them; the schema is one of two.
  private func expectWhole(
    _ path: String, _ schemas: [[String]], rows: Int, _ label: String
  ) throws -> Int {
    let db = try Database(path: path)
    let schema = try LargeFile.schema(of: db)
    let found = try #require(schemas.firstIndex(of: schema), "\(label): \(schema)")
    let table = try db.read { try $0.tableExists("Thing") } ? "Thing" : "Item"
    let counts = try db.row(
      """
      SELECT count(*), sum(id), (SELECT count(*) FROM Part), (SELECT count(*) FROM log),
        (SELECT count(*) FROM v)
      FROM \(identifier: table)
      """)?.values
    let sum = Int64(rows) * Int64(rows + 1) / 2
    #expect(
      counts == [
        .integer(Int64(rows)), .integer(sum), .integer(Int64(min(rows, LargeFile.parts))), 0,
        .integer(Int64(rows)),
      ], "\(label)")
    #expect(try db.rows("PRAGMA foreign_key_check").isEmpty, "\(label)")
    #expect(try db.row("PRAGMA integrity_check")?[0] == .text("ok"), "\(label)")
    try db.close()
    return found
  }

  private func migrate(_ path: String, _ kind: String) throws -> MigrationChild {
    try MigrationChild(path, kind)
  }

  @Test("killed with -9 at random moments of every kind of step")
  func killed() throws {
    let environment = ProcessInfo.processInfo.environment
    let kills = environment["APUS_KILLS"].flatMap(Int.init) ?? 16
    let seed = environment["APUS_SEED"].flatMap(UInt64.init) ?? .random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    let file = try LargeFile()
    var outcomes = [0, 0]
    var migrated: [String: (schema: [String], lines: Int)] = [:]
    for kill in 0..<kills {
      let kind = Self.kinds[kill % Self.kinds.count]
      if migrated[kind] == nil {
        // Once to its end, to know the schema to come and how many statements there are.
        let path = try file.copy(kind)
        let child = try migrate(path, kind)
        let lines = try child.runToEnd()
        let db = try Database(path: path)
        migrated[kind] = (try LargeFile.schema(of: db), lines)
        try db.close()
      }
      let whole = try #require(migrated[kind])
      try #require(whole.lines > 0 && whole.schema != file.schema, "\(kind)")
      let path = try file.copy("killed")
      let child = try migrate(path, kind)
      let last = Int.random(in: 1...whole.lines, using: &random)
      for _ in 0..<last { _ = child.line() }
      // Somewhere in the statement that it has just begun.
      usleep(UInt32.random(in: 0...20_000, using: &random))
      child.kill()
      let label = "seed \(seed) kill \(kill): \(kind) in statement \(last)"
      outcomes[
        try expectWhole(path, [file.schema, whole.schema], rows: LargeFile.items, label)] += 1
      // What was not done is done by the next one.
      let next = try migrate(path, kind)
      _ = try next.runToEnd()
      _ = try expectWhole(path, [whole.schema], rows: LargeFile.items, label)
    }
    #expect(outcomes[0] > 0, "seed \(seed): \(outcomes)")
  }

  @Test("an error injected at each statement of the run: nothing is done", arguments: kinds)
  func errors(_ kind: String) throws {
    let file = try LargeFile(rows: 25_000)
    var schema: [String] = []
    var statement = 0
    while true {
      let path = try file.copy("error")
      let child = try MigrationChild(path, kind, failingAt: statement)
      var line = child.line()
      while line != "done", !line.isEmpty, !line.hasPrefix("failed") { line = child.line() }
      child.wait()
      guard line != "done" else {
        let db = try Database(path: path)
        schema = try LargeFile.schema(of: db)
        try db.close()
        break
      }
      #expect(try expectWhole(path, [file.schema], rows: 25_000, "\(kind) \(statement)") == 0)
      statement += 1
    }
    #expect(statement > 0 && schema != file.schema)
  }

  @Test("two processes that open and migrate at once: one does, the other finds it done")
  func twoProcesses() throws {
    let file = try LargeFile()
    for kind in ["type", "steps"] {
      let path = try file.copy("both")
      let children = try (0..<3).map { _ in try migrate(path, kind) }
      var statements = 0
      for child in children {
        let own = try child.runToEnd()
        if own > 0 { statements += 1 }
      }
      #expect(statements == 1, "\(kind)")
      let db = try Database(path: path)
      #expect(try db.row("SELECT count(*) FROM Item")?[0] == .integer(Int64(LargeFile.items)))
      if kind == "steps" {
        #expect(try db.row("SELECT name FROM Item")?[0] == "name 1!old")
      }
      try db.close()
    }
  }
}

/// A run of `MigrationProcess`, which the package builds beside its tests.
private final class MigrationChild {
  private let process = Process()
  private let output = Pipe()
  private var unread = Data()

  init(_ path: String, _ kind: String, failingAt statement: Int? = nil) throws {
    let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
    let binary = URL(filePath: CommandLine.arguments[0])
    process.executableURL = (tests ?? binary).deletingLastPathComponent()
      .appending(path: "MigrationProcess")
    process.arguments = [path, kind] + (statement.map { ["\($0)"] } ?? [])
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  deinit {
    if process.isRunning { kill() }
  }

  /// The next line that it prints, waiting for it; empty at the end.
  func line() -> String {
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        defer { unread.removeSubrange(...end) }
        return String(decoding: unread[..<end], as: UTF8.self)
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return "" }
      unread.append(more)
    }
  }

  /// Waits for its end; how many statements it ran.
  func runToEnd() throws -> Int {
    var count = 0
    var last = line()
    while last != "done" {
      guard !last.isEmpty, !last.hasPrefix("failed") else { throw Ended(line: last) }
      count += 1
      last = line()
    }
    wait()
    return count
  }

  struct Ended: Error {
    let line: String
  }

  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    wait()
  }

  func wait() { process.waitUntilExit() }
}
