import ApusHistory
import ChangeObservation
import QueryDSL
import SQLCore
import TestRun
import Testing

@Suite("The step that an undo takes")
struct HistoryStepTests {
  private typealias List = Board.List

  private func history(
    _ source: OutsideRowsTests.Source, of db: Database, groupsByLabel: Bool = false
  ) throws -> History {
    switch source {
    case .memory: try History(of: [List.self], in: db, groupsByLabel: groupsByLabel)
    case .log: try History(of: [List.self], inLogOf: db, groupsByLabel: groupsByLabel)
    }
  }

  @Test(
    "transactions with one label are steps of their own",
    arguments: OutsideRowsTests.Source.allCases)
  func sameLabel(_ source: OutsideRowsTests.Source) throws {
    let db = try Board.database()
    let history = try history(source, of: db)
    for id in 1...3 { try db.write(label: "Add") { try $0.insert(List(id: id, name: "x")) } }
    let steps = try history.steps().undoable
    #expect(steps.count == 3)
    #expect(try history.undo(steps[1])?.step == steps[1])
    #expect(try db.fetch(List.order { $0.$id }).map(\.id) == [1, 3])
    try history.undo()
    #expect(try db.fetch(List.all).map(\.id) == [1])
    #expect(try history.steps().redoable == [steps[1], steps[2]])
  }

  @Test(
    "transactions that join a step after it was given are not undone with it",
    arguments: OutsideRowsTests.Source.allCases)
  func grownStep(_ source: OutsideRowsTests.Source) throws {
    let db = try Board.database()
    let history = try history(source, of: db, groupsByLabel: true)
    func ids() throws -> [Int] { try db.fetch(List.order { $0.$id }).map(\.id) }
    func add(_ id: Int) throws {
      try db.write(label: "Add") { try $0.insert(List(id: id, name: "x")) }
    }
    try add(1)
    let given = try #require(try history.steps().undoable.last)
    try add(2)
    try add(3)
    #expect(try history.steps().undoable.map(\.id) == [given.id])
    #expect(try history.undo(given)?.step == given)
    #expect(try ids() == [2, 3])
    // The rest is a step of its own, and the one that was given is undone already.
    #expect(throws: HistoryError.unknownStep(given.id)) { try history.undo(given) }
    #expect(try history.steps().undoable.count == 1)
    try history.undo()
    #expect(try ids() == [])
    #expect(try history.steps().redoable.count == 2)
    #expect(try history.steps().redoable.first == given)
    try history.redo()
    #expect(try ids() == [2, 3])
    try history.redo(given)
    #expect(try ids() == [1, 2, 3])
    try history.undo()
    #expect(try ids() == [2, 3])
  }

  @Test("a history in memory is made, or its error names the option that SQLite lacks")
  func missingHook() throws {
    let hasHook = SQLiteLibrary.Feature.preUpdateHook.isAvailable
    do {
      _ = try history(.memory, of: Board.database())
      #expect(hasHook)
    } catch let error as DatabaseError {
      #expect(!hasHook && error.message.contains("without SQLITE_ENABLE_PREUPDATE_HOOK"))
    }
  }

  @Test(
    "a history in memory does not take the step of another one for its own",
    .needs(.preUpdateHook))
  func otherHistory() throws {
    let db = try Board.database()
    let (first, second) = (try history(.memory, of: db), try history(.memory, of: Board.database()))
    try db.write(label: "Add") { try $0.insert(List(id: 1, name: "x")) }
    let step = try #require(try first.steps().undoable.last)
    let later = try history(.memory, of: db)
    try db.write(label: "Add") { try $0.insert(List(id: 2, name: "y")) }
    for other in [later, second] {
      #expect(throws: HistoryError.unknownStep(step.id)) { try other.undo(step) }
      #expect(throws: HistoryError.unknownStep(step.id)) { try other.skip(step) }
    }
    #expect(try db.fetch(List.order { $0.$id }).map(\.id) == [1, 2])
    #expect(try later.steps().undoable.map(\.id) == [step.id])
  }

  @Test(
    "asynchronous calls take the given step, and skip",
    arguments: OutsideRowsTests.Source.allCases)
  func asynchronous(_ source: OutsideRowsTests.Source) async throws {
    let db = try Board.database()
    let history = try history(source, of: db)
    for id in 1...3 {
      try await db.write(label: "Add") { try $0.insert(List(id: id, name: "x")) }
    }
    let steps = try await history.steps().undoable
    try await history.undo(steps[0])
    #expect(try await history.skip() == steps[2])
    #expect(try await history.undo()?.step == steps[1])
    #expect(try await history.redo(steps[0])?.step == steps[0])
    #expect(try await db.fetch(List.order { $0.$id }).map(\.id) == [1, 3])
    #expect(try await history.steps().redoable == [steps[1]])
  }
}
