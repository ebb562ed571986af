import ApusHistory
import ChangeObservation
import Foundation
import QueryDSL
import SQLCore
import TestRun
import Testing

@Suite("Undo and redo in memory", .needs(.preUpdateHook))
struct HistoryTests {
  private typealias Card = Board.Card
  private typealias List = Board.List

  @Test("an undo restores the rows, a redo changes them again, and both are transactions")
  func undoAndRedo() throws {
    let db = try Board.database()
    let history = try Board.history(of: db)
    let empty = try Board.state(db)
    try db.write(label: "Add") { tx in
      try tx.insert(List(id: 1, name: "todo"))
      try tx.insert(Card(id: 1, title: "alpha", slug: "a", weight: 3, cover: Data([0, 1])))
    }
    let first = try Board.state(db)
    try db.write(label: "Rename") { try $0.execute("UPDATE Card SET title = 'beta'") }
    let second = try Board.state(db)
    #expect(second.cards[0].edits == 1)
    #expect(try history.steps().undoable.map(\.label) == ["Add", "Rename"])

    #expect(try history.undo()?.step.label == "Rename")
    #expect(try Board.state(db) == first)
    #expect(try history.undo()?.step.label == "Add")
    #expect(try Board.state(db) == empty)
    #expect(try history.undo() == nil)
    #expect(try history.steps().redoable.map(\.label) == ["Rename", "Add"])
    #expect(try history.redo()?.step.label == "Add")
    #expect(try Board.state(db) == first)
    #expect(try history.redo()?.step.label == "Rename")
    #expect(try Board.state(db) == second)
    #expect(try history.redo() == nil)
    #expect(try history.undo()?.step.label == "Rename")
    #expect(try Board.state(db) == first)
    // The trigger ran only for the user's own update.
    #expect(try db.count(Board.Audit.all) == 1)
    #expect(try db.checkSearchIndex(of: Card.self))
    #expect(
      try db.log.entries().map(\.label) == [
        "Add", "Rename", "Rename", "Add", "Add", "Rename", "Rename",
      ])
  }

  @Test("observers see an undo like any commit")
  func observers() async throws {
    let db = try Board.database()
    let history = try Board.history(of: db)
    try await db.insert(List(id: 1, name: "todo"))
    let changes = db.changes(of: List.self)
    try await db.write(label: "Rename") { try $0.execute("UPDATE List SET name = 'done'") }
    try await history.undo()
    var iterator = changes.makeAsyncIterator()
    let done = await iterator.next()
    let undone = await iterator.next()
    #expect(done?.events.isEmpty == true && undone?.events.isEmpty == true)
    #expect(try undone?.updated.map { try $0.new(\.$name) } == ["todo"])
    #expect(undone?.label == "Rename")
  }

  @Test("a step in the middle is undone, and changes of other columns since are no conflict")
  func middle() throws {
    let db = try Board.database()
    let history = try Board.history(of: db)
    try db.insert(Card(id: 1, title: "alpha"))
    try db.execute("UPDATE Card SET title = 'beta'")
    try db.execute("UPDATE Card SET weight = 7")
    let steps = try history.steps().undoable
    try history.undo(steps[1])
    let card = try db.find(Card.self, 1)
    #expect(card?.title == "alpha")
    #expect(card?.weight == 7)
    #expect(throws: HistoryError.unknownStep(steps[1].id)) { try history.undo(steps[1]) }
    try history.redo(steps[1])
    #expect(try db.find(Card.self, 1)?.title == "beta")
  }

  @Test("a column that was changed since is a conflict, which a policy can decide")
  func changedColumn() throws {
    let db = try Board.database()
    let history = try Board.history(of: db)
    try db.insert(List(id: 1, name: "one"))
    try db.insert(List(id: 2, name: "two"))
    try db.write(label: "x") { try $0.execute("UPDATE List SET name = 'x'") }
    let step = try #require(try history.steps().undoable.last)
    try db.execute("UPDATE List SET name = 'y' WHERE id = 1")
    let before = try Board.state(db)
    let error = #expect(throws: ChangeConflicts.self) { try history.undo(step) }
    #expect(error?.conflicts.map(\.change.keyValues) == [[1]])
    #expect(error?.conflicts.map(\.reason) == [.columnsChanged(["name"])])
    #expect(error?.conflicts.first?.current?["name"] == "y")
    #expect("\(try #require(error))".contains("the row 1 of List was changed since in name"))
    #expect(try Board.state(db) == before)
    #expect(try history.steps().undoable.contains(step))

    let outcome = try history.undo(step, resolving: .mine)
    #expect(outcome?.conflicts.map(\.wasApplied) == [false])
    #expect(try Board.state(db).lists.map(\.name) == ["y", "two"])
    try history.redo()
    #expect(try Board.state(db).lists.map(\.name) == ["y", "x"])
    let again = try history.undo(step, resolving: .theirs)
    #expect(again?.conflicts == [])
  }

  @Test("the policy that lets the change win overwrites what was changed since")
  func overwriting() throws {
    let db = try Board.database()
    let history = try Board.history(of: db)
    try db.insert(List(id: 1, name: "one"))
    try db.execute("UPDATE List SET name = 'x'")
    let step = try #require(try history.steps().undoable.last)
    try db.execute("UPDATE List SET name = 'y'")
    let outcome = try history.undo(step, resolving: .theirs)
    #expect(outcome?.conflicts.map(\.wasApplied) == [true])
    #expect(try Board.state(db).lists.map(\.name) == ["one"])
    try history.redo()
    #expect(try Board.state(db).lists.map(\.name) == ["y"])
  }

  @Test("a row that is gone, a row that exists again and a taken unique value are conflicts")
  func otherConflicts() throws {
    let db = try Board.database()
    let history = try Board.history(of: db, groupsByLabel: false)
    try db.insert(Card(id: 1, title: "alpha", slug: "a"))
    try db.execute("UPDATE Card SET title = 'beta'")
    try db.execute("UPDATE Card SET slug = 'b'")
    try db.insert(Card(id: 2, title: "gamma", slug: "a"))
    let steps = try history.steps().undoable
    var error = #expect(throws: ChangeConflicts.self) { try history.undo(steps[2]) }
    #expect(
      error?.conflicts.map(\.reason) == [
        .notUnique(ConstraintFailure(kind: .unique, table: "Card", columns: ["slug"]))
      ])
    try db.execute("DELETE FROM Card WHERE id = 1")
    error = #expect(throws: ChangeConflicts.self) { try history.undo(steps[1]) }
    #expect(error?.conflicts.map(\.reason) == [.rowIsGone])
    let deletion = try #require(try history.steps().undoable.last)
    try db.insert(Card(id: 1, title: "other"))
    error = #expect(throws: ChangeConflicts.self) { try history.undo(deletion) }
    #expect(error?.conflicts.map(\.reason) == [.rowExists])
    // The value is taken from the row that has it.
    try db.execute("DELETE FROM Card WHERE id = 1")
    try history.undo(deletion)
    try history.undo(steps[2], resolving: .theirs)
    #expect(try db.fetch(Card.all).map(\.slug) == ["a"])
    #expect(try db.checkSearchIndex(of: Card.self))
  }

  @Test("cascades are undone with the rows that they deleted, and foreign keys are checked")
  func cascades() throws {
    let db = try Board.database()
    let history = try Board.history(of: db)
    try db.insert(List(id: 1, name: "todo"))
    for id in 1...3 { try db.insert(Card(id: id, title: "alpha \(id)", listID: 1)) }
    let full = try Board.state(db)
    try db.execute("DELETE FROM List")
    #expect(try db.count(Card.all) == 0)
    try history.undo()
    #expect(try Board.state(db) == full)
    try db.execute("UPDATE List SET id = 9")
    #expect(try db.fetch(Card.all).map(\.listID) == [9, 9, 9])
    try history.undo()
    #expect(try Board.state(db) == full)
    // Undoing the first insertion would leave the cards without their list.
    let first = try #require(try history.steps().undoable.first)
    let error = #expect(throws: ChangeConflicts.self) { try history.undo(first) }
    #expect(
      error?.conflicts.map(\.reason) == [
        .violates(ConstraintFailure(kind: .foreignKey, table: "Card", columns: ["listID"]))
      ])
    #expect(try Board.state(db) == full)
    // The settings of the connection are as before.
    #expect(throws: DatabaseError.self) {
      try db.insert(Card(id: 7, title: "x", listID: 77))
    }
    try db.execute("UPDATE Card SET title = 'beta' WHERE id = 1")
    #expect(try db.find(Card.self, 1)?.edits == 1)
  }

  @Test("unique values that rows exchanged are exchanged again, and a ring of them")
  func exchanges() throws {
    let db = try Board.database()
    for (id, slug) in [(1, "a"), (2, "b"), (3, "c")] {
      try db.insert(Card(id: id, title: "alpha", slug: slug))
    }
    let history = try Board.history(of: db)
    let before = try Board.state(db)
    try db.write { tx in
      try tx.execute("UPDATE Card SET slug = slug || '2'")
      try tx.execute(
        "UPDATE Card SET slug = CASE id WHEN 1 THEN 'b' WHEN 2 THEN 'c' ELSE 'a' END")
    }
    let after = try Board.state(db)
    try history.undo()
    #expect(try Board.state(db) == before)
    try history.redo()
    #expect(try Board.state(db) == after)
    #expect(try db.checkSearchIndex(of: Card.self))
  }

  @Test("REPLACE, key changes and generated columns are undone")
  func replacedRows() throws {
    let db = try Board.database()
    for (id, slug) in [(1, "a"), (2, "b")] {
      try db.insert(Card(id: id, title: "alpha", slug: slug, weight: 5))
    }
    let history = try Board.history(of: db)
    let before = try Board.state(db)
    try db.execute(
      "REPLACE INTO Card (id, title, slug, weight, edits) VALUES (1, 'beta', 'b', 1, 0)")
    #expect(try db.count(Card.all) == 1)
    try db.execute("UPDATE Card SET id = 5")
    let after = try Board.state(db)
    try history.undo()
    try history.undo()
    #expect(try Board.state(db) == before)
    #expect(before.cards.map(\.half) == [2.5, 2.5])
    try history.redo()
    try history.redo()
    #expect(try Board.state(db) == after)
    #expect(try db.checkSearchIndex(of: Card.self))
  }

  @Test(
    "where it is asked for, consecutive transactions with one label are a step, and a new one ends redo"
  )
  func grouping() throws {
    let db = try Board.database()
    let history = try Board.history(of: db, groupsByLabel: true)
    try db.write { try $0.insert(List(id: 1, name: "")) }
    for text in ["h", "he", "hey"] {
      try db.write(label: "Typing") { try $0.execute("UPDATE List SET name = \(text)") }
    }
    #expect(try history.steps().undoable.map(\.label) == [nil, "Typing"])
    try history.undo()
    #expect(try Board.state(db).lists.map(\.name) == [""])
    try history.redo()
    #expect(try Board.state(db).lists.map(\.name) == ["hey"])
    // Typing after a redo is a step of its own.
    try db.write(label: "Typing") { try $0.execute("UPDATE List SET name = 'hey you'") }
    #expect(try history.steps().undoable.map(\.label) == [nil, "Typing", "Typing"])
    try history.undo()
    #expect(try history.steps().redoable.count == 1)
    try db.write(label: "Typing") { try $0.execute("UPDATE List SET name = 'oh'") }
    #expect(try history.steps().redoable.isEmpty)
    // A write that changes no table of the history leaves redo as it is.
    try history.undo()
    try db.insert(Board.Audit(card: 1))
    #expect(try history.steps().redoable.count == 1)
  }

  @Test("a history of one author has only that author's transactions")
  func authors() throws {
    let db = try Board.database()
    let ada = try Board.history(of: db, author: "ada")
    let all = try Board.history(of: db)
    try ada.write(label: "one") { try $0.insert(List(id: 1, name: "one")) }
    try db.write(label: "two") { tx in
      try tx.setLogAuthor("bob")
      try tx.insert(List(id: 2, name: "two"))
    }
    #expect(try ada.steps().undoable.map(\.label) == ["one"])
    #expect(try all.steps().undoable.map(\.author) == ["ada", "bob"])
    try ada.undo()
    #expect(try Board.state(db).lists.map(\.id) == [2])
    #expect(try db.log.entries().map(\.author) == ["ada", "bob", "ada"])
    // For the other history, the undo is a transaction like any other.
    #expect(try all.steps().undoable.count == 3)
  }

  @Test("a history keeps as many steps as its limit, and begins when it is created")
  func limit() throws {
    let db = try Board.database()
    try db.insert(List(id: 1, name: "0"))
    let history = try Board.history(of: db, limit: 3)
    #expect(try history.steps().undoable.isEmpty)
    for text in 1...5 { try db.execute("UPDATE List SET name = \("\(text)")") }
    #expect(try history.steps().undoable.count == 3)
    while try history.undo() != nil {}
    #expect(try Board.state(db).lists.map(\.name) == ["2"])
  }

  @Test("a rolled-back write and a write that changes nothing are no steps")
  func nothing() throws {
    let db = try Board.database()
    let history = try Board.history(of: db)
    try db.write { tx in
      try tx.insert(List(id: 1, name: "x"))
      try tx.requestRollback()
    }
    try db.execute("UPDATE List SET name = name")
    #expect(try history.steps().undoable.isEmpty)
  }

  @Test("asynchronous undo and redo, and a stream of updates")
  func asynchronous() async throws {
    let db = try Board.database()
    let history = try Board.history(of: db)
    var updates = history.updates.makeAsyncIterator()
    #expect(await updates.next() != nil)
    try await history.write(label: "Add") { try $0.insert(List(id: 1, name: "x")) }
    #expect(await updates.next() != nil)
    #expect(try await history.steps().undoable.count == 1)
    #expect(try await history.undo()?.step.label == "Add")
    #expect(await updates.next() != nil)
    #expect(try await db.count(List.all) == 0)
    #expect(try await history.redo()?.step.label == "Add")
    try await db.close()
    while await updates.next() != nil {}
  }
}
