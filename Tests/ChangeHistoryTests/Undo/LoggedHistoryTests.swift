import ApusHistory
import ChangeObservation
import QueryDSL
import SQLCore
import TestRun
import Testing

@Suite("Undo and redo over the change log")
struct LoggedHistoryTests {
  private typealias Card = Board.Card
  private typealias List = Board.List

  private func history(
    of db: Database, author: String? = nil, groupsByLabel: Bool = false
  ) throws -> History {
    try History(
      of: [List.self, Card.self], inLogOf: db, author: author, groupsByLabel: groupsByLabel)
  }

  @Test("a history finds its steps again after a restart, with what was undone")
  func restart() throws {
    let db = try Board.database()
    try db.write(label: "Add") { tx in
      try tx.insert(List(id: 1, name: "todo"))
      try tx.insert(Card(id: 1, title: "alpha", slug: "a", listID: 1))
    }
    let first = try Board.state(db)
    try db.write(label: "Rename") { try $0.execute("UPDATE Card SET title = 'beta'") }
    let second = try Board.state(db)
    try db.execute("DELETE FROM List")
    #expect(try history(of: db).undo() != nil)
    #expect(try Board.state(db) == second)
    #expect(try history(of: db).undo()?.step.label == "Rename")
    #expect(try Board.state(db) == first)
    let steps = try history(of: db).steps()
    #expect(steps.undoable.map(\.label) == ["Add"])
    #expect(steps.redoable.map(\.label) == [nil, "Rename"])
    #expect(try history(of: db).redo()?.step.label == "Rename")
    #expect(try Board.state(db) == second)
    #expect(try history(of: db).undo()?.step.label == "Rename")
    #expect(try Board.state(db) == first)
    let entries = try db.log.entries()
    #expect(entries.map(\.undoneSequence) == [nil, nil, nil, 3, 2, 5, 6])
    #expect(try db.checkSearchIndex(of: Card.self))
    #expect(try db.count(Board.Audit.all) == 1)
  }

  @Test("transactions of other programs are steps, and a group is undone as a whole")
  func groupsAndOthers() throws {
    let db = try Board.database()
    let history = try history(of: db, groupsByLabel: true)
    let stranger = try Database(path: try #require(db.path))
    try stranger.execute("INSERT INTO List VALUES (1, '')")
    for text in ["h", "he", "hey"] {
      try db.write(label: "Typing") { try $0.execute("UPDATE List SET name = \(text)") }
    }
    #expect(try history.steps().undoable.map(\.label) == [nil, "Typing"])
    try history.undo()
    #expect(try Board.state(db).lists.map(\.name) == [""])
    #expect(try history.steps().redoable.count == 1)
    try history.redo()
    #expect(try Board.state(db).lists.map(\.name) == ["hey"])
    try history.undo()
    try history.undo()
    #expect(try Board.state(db).lists.isEmpty)
    #expect(try history.steps().redoable.map(\.label) == ["Typing", nil])
    try stranger.execute("INSERT INTO List VALUES (2, 'new')")
    #expect(try history.steps().redoable.isEmpty)
  }

  @Test("an entry of another program that grows after an undo has failed is read again")
  func growingEntry() throws {
    let db = try Board.database()
    let history = try History(of: [List.self], inLogOf: db)
    try db.insert(List(id: 1, name: "one"))
    try db.execute("UPDATE List SET name = 'two'")
    let steps = try history.steps().undoable
    #expect(steps.count == 2)
    let stranger = try Database(path: try #require(db.path))
    // The entry of the other program stays open. It has nothing of the history yet.
    try stranger.execute("INSERT INTO Card (id, title, weight, edits) VALUES (1, '', 0, 0)")
    #expect(throws: ChangeConflicts.self) { try history.undo(steps[0]) }
    try stranger.execute("INSERT INTO List VALUES (2, 'late')")
    #expect(try history.steps().undoable.count == 3)
    #expect(try db.log.entries().count == 3)
    try history.undo()
    #expect(try Board.state(db).lists.map(\.id) == [1])
  }

  @Test("a history of one author leaves the others' transactions alone")
  func authors() throws {
    let db = try Board.database()
    let ada = try history(of: db, author: "ada")
    try ada.write { try $0.insert(List(id: 1, name: "one")) }
    try db.write { try $0.insert(List(id: 2, name: "two")) }
    #expect(try ada.undo()?.step.author == "ada")
    #expect(try Board.state(db).lists.map(\.id) == [2])
    #expect(try ada.undo() == nil)
    #expect(try history(of: db, author: "ada").steps().redoable.count == 1)
    // A history of all authors can take the undo back as well.
    #expect(try history(of: db).redo() != nil)
    #expect(try ada.steps().undoable.count == 1)
  }

  @Test("a step whose entry was purged is gone, and steps before a gap as well")
  func purged() throws {
    let db = try Board.database()
    let history = try history(of: db)
    for id in 1...4 { try db.insert(List(id: id, name: "\(id)")) }
    let steps = try history.steps().undoable
    #expect(steps.count == 4)
    try db.log.purge(keeping: .init(count: 2))
    #expect(try history.steps().undoable == Array(steps[2...]))
    #expect(try self.history(of: db).steps().undoable == Array(steps[2...]))
    #expect(throws: HistoryError.unknownStep(steps[0].id)) { try history.undo(steps[0]) }
    try history.undo()
    try history.undo()
    #expect(try history.undo() == nil)
    #expect(try Board.state(db).lists.map(\.id) == [1, 2])
  }

  @Test("the undo of a purged transaction is not a step")
  func purgedUndo() throws {
    let db = try Board.database()
    for id in 1...2 { try db.insert(List(id: id, name: "\(id)")) }
    let first = try history(of: db)
    // Reads the undo only after the purge.
    let reading = try history(of: db)
    let found = try reading.steps().undoable.count
    #expect(found == 2)
    try first.undo()
    try db.log.purge(keeping: .init(count: 1))
    for history in [first, reading, try history(of: db)] {
      let steps = try history.steps()
      #expect(steps.undoable.isEmpty && steps.redoable.isEmpty)
      let (undone, redone) = (try history.undo(), try history.redo())
      #expect(undone == nil && redone == nil)
    }
    let found2 = try Board.state(db).lists.map(\.id)
    #expect(found2 == [1])
  }

  @Test("undoing a transaction from before the beginning of a history is no step of it")
  func beforeTheBeginning() throws {
    let db = try Board.database()
    try db.insert(List(id: 1, name: "one"))
    let position = try db.read { try $0.logPosition() }
    let late = try History(of: [List.self], inLogOf: db, after: position)
    try db.insert(List(id: 2, name: "two"))
    let all = try history(of: db)
    let steps = try all.steps().undoable
    try all.undo(steps[0])
    // Read as it grows, and from the beginning.
    for history in [late, try History(of: [List.self], inLogOf: db, after: position)] {
      #expect(try history.steps().undoable == [steps[1]])
      #expect(try history.steps().redoable.isEmpty)
    }
    // Neither is redoing and undoing it again.
    try all.redo()
    #expect(try late.steps().undoable == [steps[1]])
    try all.undo(steps[0])
    for history in [late, try History(of: [List.self], inLogOf: db, after: position)] {
      #expect(try history.steps().undoable == [steps[1]])
      #expect(try history.steps().redoable.isEmpty)
    }
    try late.undo()
    #expect(try Board.state(db).lists.isEmpty)
    #expect(try late.undo() == nil)
    #expect(try late.redo() != nil)
    #expect(try Board.state(db).lists.map(\.id) == [2])
  }

  @Test(
    "a migration that drops a logged column ends undo before it, and the error says so",
    .needs(.preUpdateHook))
  func droppedColumn() throws {
    let db = try Board.database()
    try db.insert(List(id: 1, name: "todo"))
    try db.execute("UPDATE List SET name = 'done'")
    let memory = try Board.history(of: db)
    try db.execute("UPDATE List SET name = 'again'")
    let step = try #require(try memory.steps().undoable.last)
    try db.execute("ALTER TABLE List RENAME COLUMN name TO title")
    let error = #expect(throws: ChangeConflicts.self) { try memory.undo(step) }
    #expect(error?.conflicts.map(\.reason) == [.schemaChanged(missing: ["name"])])
    #expect("\(try #require(error))".contains("this database does not have the column name"))
  }

  @Test("a history over a database without a log says so")
  func noLog() throws {
    let db = try Database.temporary()
    let history = try history(of: db)
    #expect(throws: LogError.noLog) { try history.undo() }
    #expect(throws: LogError.noLog) { try history.steps() }
  }

  @Test("an observation of the log ends without an error if its task is cancelled while it reads")
  func cancelledObservation() async throws {
    func cancel() { withUnsafeCurrentTask { $0?.cancel() } }
    let db = try Board.database()
    for id in 1...150 { try await db.insert(List(id: id, name: "\(id)")) }
    let task = Task {
      var iterator = db.log.observe().makeAsyncIterator()
      // Entries are read in pieces of 100, so the next call reads again.
      for _ in 1...100 { _ = try await iterator.next() }
      cancel()
      return try await iterator.next()
    }
    let found = try await task.value
    #expect(found == nil)
  }

  @Test("an observation of the log gives all entries, then waits for further ones of any program")
  func observation() async throws {
    let db = try Board.database()
    let cursor = try await db.log.cursor("search")
    for id in 1...250 { try await db.insert(List(id: id, name: "\(id)")) }
    let stranger = try Database(path: try #require(db.path))
    var iterator = cursor.observe().makeAsyncIterator()
    var keys: [DatabaseValue] = []
    while keys.count < 250, let entry = try await iterator.next() {
      keys += entry.changes(of: List.self).flatMap(\.keyValues)
      if keys.count == 250 { try await cursor.advance(past: entry) }
    }
    #expect(keys == (1...250).map { .integer($0) })
    try await db.write(label: "own") { try $0.execute("DELETE FROM List WHERE id = 1") }
    #expect(try await iterator.next()?.label == "own")
    try await stranger.execute("UPDATE List SET name = 'x' WHERE id = 2")
    #expect(try await iterator.next()?.changes.map(\.kind) == [.updated])
    // The cursor stands where it was moved to.
    var again = cursor.observe().makeAsyncIterator()
    #expect(try await again.next()?.label == "own")
    try await db.log.purge(keeping: .init(count: 0), passingCursors: true)
    var late = cursor.observe().makeAsyncIterator()
    await #expect(throws: LogError.self) { try await late.next() }
    try await db.close()
    #expect(try await iterator.next() == nil)
  }
}
