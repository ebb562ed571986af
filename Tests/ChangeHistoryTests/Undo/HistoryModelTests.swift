import ApusHistory
import ChangeObservation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@testable import QueryFixtures

@Suite("Undo and redo against a plain reference")
struct HistoryModelTests {
  private typealias Row = [String: DatabaseValue]
  private typealias State = [String: [DatabaseValue: Row]]

  private struct Undone: Error {}

  /// A step of the reference: the whole database before and after its last transaction.
  private struct Step {
    var before: State
    var after: State
  }

  private static let columns = [
    "List": ["id", "name"],
    "Card": ["id", "title", "slug", "weight", "cover", "listID", "edits"],
  ]

  private func state(_ db: Database) throws -> State {
    var state: State = [:]
    for (table, names) in Self.columns {
      let list = names.joined(separator: ", ")
      var rows: [DatabaseValue: Row] = [:]
      for row in try db.rows("SELECT \(unsafe: list) FROM \(identifier: table)") {
        rows[row.values[0]] = Dictionary(uniqueKeysWithValues: zip(names, row.values))
      }
      state[table] = rows
    }
    return state
  }

  // MARK: Writing

  /// Makes one random statement. A violated constraint is one of the outcomes.
  private func write(_ connection: Connection, _ random: inout SeededGenerator) throws {
    let id = Int.random(in: 1...6, using: &random)
    let other = Int.random(in: 1...6, using: &random)
    let list = Int.random(in: 1...3, using: &random)
    let slug: String? =
      Bool.random(using: &random) ? nil : ["a", "b", "c"].randomElement(using: &random)
    let word = Board.words.randomElement(using: &random) ?? ""
    let weight = Double(Int.random(in: 0...2, using: &random)) / 3
    switch Int.random(in: 0..<15, using: &random) {
    case 0, 1, 2:
      try connection.execute(
        """
        INSERT INTO Card (id, title, slug, weight, listID, edits)
        VALUES (\(id), \(word), \(slug), \(weight), (SELECT id FROM List WHERE id = \(list)), 0)
        """)
    case 3:
      try connection.execute(
        """
        INSERT OR REPLACE INTO Card (id, title, slug, weight, edits)
        VALUES (\(id), \(word), \(slug), \(weight), 0)
        """)
    case 4: try connection.execute("UPDATE OR REPLACE Card SET slug = \(slug) WHERE id = \(id)")
    case 5: try connection.execute("UPDATE OR REPLACE Card SET id = \(id) WHERE id = \(other)")
    case 6: try connection.execute("UPDATE Card SET weight = \(weight), cover = randomblob(3)")
    case 7: try connection.execute("UPDATE Card SET title = \(word) WHERE id <= \(id)")
    case 8: try connection.execute("DELETE FROM Card WHERE id IN (\(id), \(other))")
    case 9: try connection.execute("DELETE FROM List WHERE id = \(list)")
    case 10, 11: try connection.execute("INSERT OR IGNORE INTO List VALUES (\(list), \(word))")
    case 12: try connection.execute("UPDATE List SET id = \(list), name = \(word)")
    case 13:
      // Two rows exchange their unique values.
      try connection.execute(
        """
        CREATE TEMP TABLE swap AS SELECT id, slug FROM Card WHERE id IN (\(id), \(other));
        UPDATE Card SET slug = NULL WHERE id IN (\(id), \(other));
        UPDATE Card SET slug = (SELECT slug FROM swap WHERE swap.id <> Card.id)
        WHERE id IN (SELECT id FROM swap);
        DROP TABLE swap
        """)
    default:
      try connection.execute(
        """
        INSERT INTO Card (id, title, weight, edits) VALUES (\(id), \(word), 0, 0)
        ON CONFLICT (id) DO UPDATE SET weight = weight + 1
        """)
    }
  }

  private func transaction(_ db: Database, _ random: inout SeededGenerator) throws {
    var local = random
    defer { random = local }
    do {
      try db.write { connection in
        for _ in 0..<Int.random(in: 1...3, using: &local) {
          do {
            try connection.savepoint { connection in
              try write(connection, &local)
              if Int.random(in: 0..<8, using: &local) == 0 { throw Undone() }
            }
          } catch is Undone {
          } catch let error as DatabaseError where error.code.primary == .constraint {
          }
        }
        if Int.random(in: 0..<8, using: &local) == 0 { throw Undone() }
      }
    } catch is Undone {}
  }

  // MARK: The reference

  /// Returns the state after a step is undone; nil if that is a conflict.
  private func undo(_ step: Step, in present: State) -> State? {
    var result = present
    for table in Self.columns.keys {
      let (before, after) = (step.before[table] ?? [:], step.after[table] ?? [:])
      for key in Set(before.keys).union(after.keys) where before[key] != after[key] {
        let row = present[table]?[key]
        switch (before[key], after[key]) {
        case (nil, let inserted?):
          guard row == nil || row == inserted else { return nil }
          result[table]?[key] = nil
        case (let deleted?, nil):
          guard row == nil || row == deleted else { return nil }
          result[table]?[key] = deleted
        case (let old?, let new?):
          guard var row else { return nil }
          for (column, value) in old where value != new[column] {
            guard row[column] == value || row[column] == new[column] else { return nil }
            row[column] = value
          }
          result[table]?[key] = row
        case (nil, nil): break
        }
      }
    }
    let cards = (result["Card"] ?? [:]).values
    let slugs = cards.compactMap { $0["slug"] }.filter { !$0.isNull }
    let parents = cards.compactMap { $0["listID"] }.filter { !$0.isNull }
    guard Set(slugs).count == slugs.count,
      parents.allSatisfy({ result["List"]?[$0] != nil })
    else { return nil }
    return result
  }

  @Test(
    "after random transactions, each undo and redo gives the recorded state or a right conflict",
    arguments: OutsideRowsTests.Source.allCases)
  func randomSteps(_ source: OutsideRowsTests.Source) throws {
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    let db = try Board.database()
    let models: [any Model.Type] = [Board.List.self, Board.Card.self]
    let history =
      switch source {
      case .memory: try History(of: models, in: db, groupsByLabel: false, limit: 20)
      case .log: try History(of: models, inLogOf: db, groupsByLabel: false, limit: 20)
      }
    var done: [Step] = []
    var undone: [Step] = []
    var present = try state(db)
    var counts = (undone: 0, conflicts: 0)
    for round in 0..<TestSize.count(small: 400, full: 1_000, long: 50_000) {
      func fail(_ text: String) {
        Issue.record("seed \(seed), \(source), round \(round): \(text)")
      }
      if Int.random(in: 0..<5, using: &random) < 2 {
        try transaction(db, &random)
        let after = try state(db)
        if after != present {
          done = (done + [Step(before: present, after: after)]).suffix(20)
          undone = []
        }
        present = after
      } else {
        let isUndo = Int.random(in: 0..<5, using: &random) < 3
        let steps = isUndo ? done : undone
        let known = try history.steps()
        let ids = isUndo ? known.undoable : known.redoable
        guard ids.count == steps.count else { return fail("\(ids.count) steps of \(steps.count)") }
        guard !steps.isEmpty else { continue }
        let index =
          Bool.random(using: &random)
          ? steps.count - 1 : Int.random(in: steps.indices, using: &random)
        let expected = undo(steps[index], in: present)
        var hasConflict = false
        do {
          _ = isUndo ? try history.undo(ids[index]) : try history.redo(ids[index])
        } catch is ChangeConflicts {
          hasConflict = true
        }
        let actual = try state(db)
        guard hasConflict == (expected == nil), actual == expected ?? present else {
          return fail("\(isUndo ? "undo" : "redo") of \(index), conflict: \(hasConflict)")
        }
        counts.undone += 1
        counts.conflicts += hasConflict ? 1 : 0
        if let expected {
          let step = Step(before: present, after: expected)
          // A step that changed nothing is no longer in the history.
          if isUndo {
            done.remove(at: index)
            if expected != present { undone.append(step) }
          } else {
            undone.remove(at: index)
            if expected != present { done.append(step) }
          }
          present = expected
        }
      }
      if round % 40 == 39 {
        let isIndexed = try db.checkSearchIndex(of: Board.Card.self)
        let isGenerated = try db.fetch(Board.Card.all).allSatisfy { $0.half == $0.weight / 2 }
        let keys = try db.rows("PRAGMA foreign_key_check")
        guard isIndexed, isGenerated, keys.isEmpty else { return fail("the file is damaged") }
      }
    }
    #expect(counts.undone > 50 && counts.conflicts > 10)
  }
}
