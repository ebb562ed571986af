import ApusHistory
import ChangeObservation
import QueryDSL
import SQLCore
import TestRun
import Testing

@Suite(
  "A change log that the sqlite3 shell writes", .blocking,
  .enabled(if: SQLiteShell.installed != nil, "the sqlite3 shell is not installed"))
struct ShellWriterTests {
  private let shell: SQLiteShell

  init() throws { shell = try #require(SQLiteShell.installed) }

  private func run(_ script: String, on db: Database) throws {
    _ = try shell.run(script, on: #require(db.path))
  }

  @Test("the log has the shell's transactions, which can be undone")
  func undone() throws {
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
