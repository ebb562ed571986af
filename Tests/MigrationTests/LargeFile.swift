import Foundation
import SQLCore
import Testing

@testable import QueryFixtures

/// A table in a file of its own, with rows that refer to it ON DELETE CASCADE, an index, a trigger
/// and a view.
final class LargeFile {
  private static let tables = """
    CREATE TABLE Item (id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL, size TEXT NOT NULL,
      old TEXT);
    CREATE TABLE Part (id INTEGER PRIMARY KEY NOT NULL,
      itemID INTEGER NOT NULL REFERENCES Item (id) ON DELETE CASCADE);
    CREATE INDEX mine ON Item (size) WHERE size <> '';
    CREATE TABLE log (text);
    CREATE TRIGGER t AFTER DELETE ON Item WHEN old.id > 0 BEGIN
      INSERT INTO log VALUES (old.name); END;
    CREATE VIEW v AS SELECT id, size FROM Item;
    """

  let rows: Int
  private var parts: Int { rows / 5 }
  private let folder: URL
  private var original: String { folder.appending(path: "original.sqlite").path() }
  /// The definitions of the file when it was made.
  let schema: [String]

  init(rows: Int) throws {
    self.rows = rows
    folder = FileManager.default.temporaryDirectory
      .appending(path: "apus-migration-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let db = try Database(path: folder.appending(path: "original.sqlite").path())
    try db.execute(SQL(unsafe: Self.tables))
    // Row 0 is one that a migration may be asked to delete.
    try db.execute(
      """
      WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
      INSERT INTO Item SELECT i, 'name ' || i, CAST(i % 50 AS TEXT), 'old' FROM n
      UNION ALL SELECT 0, 'invalid', '0', 'old'
      """)
    try db.execute(
      """
      WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows / 5))
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

  /// Expects that all rows are there with their values, including the rows that refer to them, and
  /// that the schema is one of those given. Returns the index of that schema.
  func expectWhole(_ db: Database, _ schemas: [[String]], _ label: String) throws -> Int {
    let schema = try Self.schema(of: db)
    let found = try #require(schemas.firstIndex(of: schema), "\(label): \(schema)")
    let table = try db.read { try $0.tableExists("Thing") } ? "Thing" : "Item"
    let name = table == "Thing" ? "title" : "name"
    let counts = try db.row(
      """
      SELECT count(*), sum(id), sum(\(identifier: name) LIKE 'name ' || id || '%'),
        sum(CAST(size AS INTEGER) = id % 50), (SELECT count(*) FROM Part),
        (SELECT count(*) FROM Part WHERE id = itemID), (SELECT count(*) FROM v)
      FROM \(identifier: table) WHERE id > 0
      """)?.values
    let all = DatabaseValue.integer(Int64(rows))
    let sum = Int64(rows) * Int64(rows + 1) / 2
    let isDeleted = try db.row("SELECT 1 FROM \(identifier: table) WHERE id = 0") == nil
    #expect(!isDeleted || schema != self.schema, "\(label)")
    #expect(
      counts == [
        all, .integer(sum), all, all, .integer(Int64(parts)), .integer(Int64(parts)),
        .integer(Int64(isDeleted ? rows : rows + 1)),
      ], "\(label)")
    if try db.read({ try $0.tableExists("log") }) {
      #expect(try db.row("SELECT count(*) FROM log")?[0] == 0, "\(label)")
    }
    #expect(try db.rows("PRAGMA foreign_key_check").isEmpty, "\(label)")
    #expect(try db.row("PRAGMA integrity_check")?[0] == .text("ok"), "\(label)")
    return found
  }
}
