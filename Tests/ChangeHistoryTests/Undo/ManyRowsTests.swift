import ApusHistory
import ChangeObservation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@Suite("Undo of many rows", .needs(.preUpdateHook))
struct ManyRowsTests {
  /// The statements that were run.
  private final class Statements: Sendable {
    let texts = Lock<[String]>([])
  }

  private let seen = Statements()
  private let db: Database
  private let history: History

  init() throws {
    var configuration = Configuration()
    configuration.onStatement = { [seen] event in
      if let sql = event.sql { seen.texts.withLock { $0.append(sql) } }
    }
    db = try .temporary(models: Board.models, configuration: configuration)
    history = try Board.history(of: db)
  }

  private func fill(lists: ClosedRange<Int>, cards: ClosedRange<Int>? = nil) throws {
    try db.insert(lists.map { Board.List(id: $0, name: "list") })
    guard let cards else { return }
    try db.insert(cards.map { Board.Card(id: $0, title: "alpha", listID: $0 % lists.count + 1) })
  }

  /// Returns the keys of the rows in the way of an undo, and checks that nothing was changed.
  private func conflicts(_ step: HistoryStep?) throws -> [DatabaseValue] {
    let before = try Board.state(db)
    let error = try #require(throws: ChangeConflicts.self) { try history.undo(step) }
    let after = try Board.state(db)
    #expect(after == before)
    for conflict in error.conflicts {
      guard case .violates(let failure) = conflict.reason else {
        Issue.record("\(conflict)")
        continue
      }
      #expect(failure.kind == .foreignKey && failure.columns == ["listID"])
    }
    return error.conflicts.flatMap(\.change.keyValues)
  }

  @Test("deleted rows take a statement for many of them, and a foreign key one for all rows")
  func statements() throws {
    try fill(lists: 1...4, cards: 1...300)
    var counts: [Int] = []
    for count in [100, 200] {
      try db.run(Board.Card.delete().where { $0.$id <= count })
      seen.texts.withLock { $0 = [] }
      try history.undo()
      let cards = try db.count(Board.Card.all)
      #expect(cards == 300)
      // Triggers for the log and the full-text index add their own.
      let statements = seen.texts.withLock { $0 }.filter {
        $0.hasPrefix("SELECT") || $0.contains(" OR ABORT ")
      }
      let insertions = statements.count { $0.contains("INSERT OR ABORT INTO main.\"Card\"") }
      #expect((1...count / 20).contains(insertions))
      counts.append(statements.count - insertions)
    }
    #expect(counts[0] == counts[1])
  }

  @Test("of many deleted rows, exactly those whose parent is gone are in the way")
  func missingParents() throws {
    try fill(lists: 1...4, cards: 1...40)
    let before = try Board.state(db)
    try db.run(Board.Card.delete())
    let step = try #require(try history.steps().undoable.last)
    try db.run(Board.List.delete().where { $0.$id == 3 })
    let orphans = Array(stride(from: 2, through: 40, by: 4))
    let keys = try conflicts(step)
    #expect(keys == orphans.map { .integer(Int64($0)) })
    let outcome = try #require(try history.undo(step, resolving: .mine))
    #expect(outcome.conflicts.count == orphans.count)
    #expect(
      try db.fetch(Board.Card.order { $0.$id })
        == before.cards.filter { !orphans.contains($0.id) })
  }

  @Test("of many inserted rows, exactly those that others refer to are in the way")
  func children() throws {
    try fill(lists: 1...40)
    let step = try #require(try history.steps().undoable.last)
    try db.insert([7, 5, 7].enumerated().map { Board.Card(id: $0, title: "beta", listID: $1) })
    let keys = try conflicts(step)
    #expect(keys == [5, 7])
    try db.run(Board.Card.delete())
    try history.undo(step)
    let lists = try db.count(Board.List.all)
    #expect(lists == 0)
  }

  @Test("rows that exist again, with the same values or others, are found among many")
  func existing() throws {
    try fill(lists: 1...1, cards: 1...40)
    try db.run(Board.Card.delete())
    let step = try #require(try history.steps().undoable.last)
    try db.insert([
      Board.Card(id: 3, title: "alpha", listID: 1), Board.Card(id: 4, title: "beta", listID: 1),
    ])
    let error = try #require(throws: ChangeConflicts.self) { try history.undo(step) }
    #expect(error.conflicts.map(\.change.keyValues) == [[4]])
    #expect(error.conflicts.map(\.reason) == [.rowExists])
    #expect(error.conflicts.first?.current?["title"] == "beta")
    try history.undo(step, resolving: .theirs)
    let titles = try db.fetch(Board.Card.select { $0.$title })
    #expect(titles == Array(repeating: "alpha", count: 40))
    let isSound = try db.checkSearchIndex(of: Board.Card.self)
    #expect(isSound)
  }
}
