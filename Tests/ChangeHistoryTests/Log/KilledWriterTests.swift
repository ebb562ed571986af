import ApusHistory
import ChangeObservation
import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@testable import QueryFixtures

@Suite("The change log of several processes", .blocking)
struct KilledWriterTests {
  /// One transaction of a program that knows nothing of the models.
  private static let step = """
    BEGIN IMMEDIATE;
    INSERT INTO List SELECT coalesce(max(id), 0) + 1, 'child' FROM List;
    INSERT INTO Card (id, title, weight, edits, listID)
      SELECT max(id), 'alpha', 0, 0, max(id) FROM List;
    UPDATE Card SET weight = 1 WHERE id = (SELECT max(id) FROM Card);
    UPDATE apus_log_entry SET isOpen = 0 WHERE isOpen;
    COMMIT
    """

  @Test("after kill -9, the log has exactly the transactions that were committed, whole")
  func killed() throws {
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    var configuration = Configuration()
    configuration.busyTimeout = .seconds(3_600)
    let db = try Database.temporary(models: Board.models, configuration: configuration)
    let path = try #require(db.path)
    for round in 0..<TestSize.count(small: 6, full: 40) {
      let other = try OtherProcess.run(["step", path, "3", Self.step])
      let killed = try OtherProcess.run(["step", path, "1000000", Self.step])
      let before = try db.count(Board.List.all)
      let wanted = before + Int.random(in: 4...30, using: &random)
      while try killed.isRunning && db.count(Board.List.all) < wanted {
        guard Int.random(in: 0..<50, using: &random) == 0 else { continue }
        try db.write(label: "own") { try $0.execute("UPDATE List SET name = name || '!'") }
      }
      #expect(killed.isRunning)
      kill(killed.processIdentifier, SIGKILL)
      killed.waitUntilExit()
      other.waitUntilExit()
      var lists: [DatabaseValue: DatabaseValue] = [:]
      var position = LogPosition.start
      while true {
        let entries = try db.log.entries(after: position, limit: 500)
        guard let last = entries.last else { break }
        position = last.position
        for entry in entries {
          let changes = entry.changes(of: Board.List.self)
          for change in changes { lists[change.keyValues[0]] = change.row.new("name") }
          guard entry.label == nil else { continue }
          let cards = entry.changes(of: Board.Card.self)
          #expect(changes.map(\.kind) == [.inserted] && cards.map(\.kind) == [.inserted])
          #expect(changes.map(\.keyValues) == cards.map(\.keyValues))
          #expect(try cards.first?.new(\.$weight) == 1)
        }
      }
      let rows = try db.fetch(Board.List.all)
      let expected = Dictionary(
        uniqueKeysWithValues: rows.map {
          (DatabaseValue.integer(Int64($0.id)), DatabaseValue.text($0.name))
        })
      guard lists == expected else {
        Issue.record("seed \(seed), round \(round): \(lists.count) of \(expected.count) rows")
        return
      }
    }
    // The writes of the killed process can be undone like all others.
    let history = try History(of: [Board.List.self, Board.Card.self], inLogOf: db, limit: 3)
    #expect(try history.undo() != nil)
  }
}
