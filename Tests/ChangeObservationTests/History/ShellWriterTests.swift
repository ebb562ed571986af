import ChangeObservation
import Foundation
import QueryDSL
import SQLCore
import TestRun
import Testing

@Suite("A change log that the sqlite3 shell writes", .blocking)
struct ShellWriterTests {
  private static let path = ["/usr/bin/sqlite3", "/usr/local/bin/sqlite3"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// Runs a script in a shell of its own.
  private func run(_ script: String, on db: Database) throws {
    let process = Process()
    process.executableURL = URL(filePath: try #require(Self.path))
    process.arguments = ["-bail", try #require(db.path), script]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }

  @Test(
    "the log has the shell's transactions, which can be undone",
    .enabled(if: path != nil, "the sqlite3 shell is not installed"))
  func shell() throws {
    let db = try Board.database()
    let closing = "UPDATE apus_log_entry SET isOpen = 0 WHERE isOpen;"
    try run(
      """
      PRAGMA foreign_keys = ON; PRAGMA recursive_triggers = ON;
      BEGIN;
      INSERT INTO List VALUES (1, 'todo');
      INSERT INTO Card (id, title, weight, edits, listID) VALUES (1, 'alpha', 1, 0, 1);
      \(closing)
      COMMIT;
      BEGIN; UPDATE List SET name = 'lost'; ROLLBACK;
      BEGIN;
      REPLACE INTO Card (id, title, weight, edits) VALUES (1, 'beta', 1, 0);
      \(closing)
      COMMIT;
      BEGIN; UPDATE Card SET title = 'gamma', listID = 1; DELETE FROM List; COMMIT;
      """, on: db)
    try run("INSERT INTO List VALUES (2, 'late')", on: db)
    let entries = try db.log.entries()
    // The last two transactions, of two processes, did not end their entry.
    #expect(
      entries.map { $0.changes.map(\.table) }
        == [["List", "Card"], ["Card"], ["Card", "List", "List"]])
    #expect(
      entries.map { $0.changes.map(\.kind) }
        == [[.inserted, .inserted], [.updated], [.deleted, .deleted, .inserted]])
    #expect(try entries[1].changes(of: Board.Card.self).first?.old(\.$title) == "alpha")
    #expect(try entries[1].changes(of: Board.Card.self).first?.new(\.$title) == "beta")
    let history = try History(of: [Board.List.self, Board.Card.self], inLogOf: db)
    for _ in entries { #expect(try history.undo() != nil) }
    #expect(try Board.state(db) == Board.State(lists: [], cards: [], found: [[], [], []]))
  }
}
