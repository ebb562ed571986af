import ApusHistory
import ChangeObservation
import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@Suite("Histories and observers of the log")
struct HistorySurroundingsTests {
  private typealias List = Board.List

  @Test("observers see the label of an undo over the log", .needs(.preUpdateHook))
  func label() async throws {
    let db = try Board.database()
    try await db.insert(List(id: 1, name: "todo"))
    var changes = db.changes(of: List.self).makeAsyncIterator()
    try await db.write(label: "Rename") { try $0.execute("UPDATE List SET name = 'done'") }
    try await History(of: [List.self, Board.Card.self], inLogOf: db).undo()
    let write = await changes.next()
    let undo = await changes.next()
    #expect(write?.label == "Rename" && undo?.label == "Rename")
  }

  @Test("a temporary table of the same name does not hide the table of an undo")
  func temporary() async throws {
    let db = try Board.database()
    try await db.insert(List(id: 1, name: "todo"))
    try await db.execute("DELETE FROM List")
    let history = try History(of: [List.self, Board.Card.self], inLogOf: db)
    try await db.writeWithoutTransaction {
      try $0.execute("CREATE TEMP TABLE List (id INTEGER PRIMARY KEY, name TEXT)")
    }
    try await history.undo()
    let rows = try await db.writeWithoutTransaction {
      try $0.fetch(
        Int.self, "SELECT (SELECT count(*) FROM main.List) * 10 + count(*) FROM temp.List")
    }
    #expect(rows == [10])
  }

  @Test("what a temporary trigger writes during an undo is logged and indexed")
  func temporaryTrigger() throws {
    let db = try Board.database()
    try db.insert(List(id: 1, name: "todo"))
    try db.insert(Board.Card(id: 1, title: "alpha"))
    try db.execute("UPDATE List SET name = 'done'")
    try db.execute(
      """
      CREATE TEMP TRIGGER mark AFTER UPDATE ON List
      BEGIN UPDATE Card SET title = 'beta' WHERE id = 1; END
      """)
    try History(of: [List.self], inLogOf: db).undo()
    let found = try db.find(Board.Card.self, 1)?.title
    #expect(found == "beta")
    let found2 = try db.checkSearchIndex(of: Board.Card.self)
    #expect(found2)
    let found3 = try db.log.entries().last?.changes.map(\.table).sorted()
    #expect(found3 == ["Card", "List"])
  }

  @Test("a reader of a read-only database gets an entry that another program closes later")
  func readOnly() async throws {
    let db = try Archive.database()
    let path = try #require(db.path)
    var configuration = Configuration()
    configuration.isReadOnly = true
    let reader = try Database(path: path, configuration: configuration)
    let shell = try Archive.stranger(of: db)
    let entry = Task {
      var entries = reader.log.observe().makeAsyncIterator()
      return try await entries.next()?.sequence
    }
    try await shell.execute("INSERT INTO Shelf VALUES (1, 'a')")
    // Time for the reader to see the open entry.
    try await Task.sleep(for: .seconds(1))
    try await shell.execute("UPDATE apus_log_entry SET isOpen = 0 WHERE isOpen")
    let found = try await entry.value
    #expect(found == 1)
  }
}
