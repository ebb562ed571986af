import ApusHistory
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@testable import QueryFixtures

/// SQLite promises no order among the triggers of one event. These tests make triggers of other
/// programs before and after those of the library: raw ones, and TEMP ones of either connection.
@Suite("The change log and a full-text index beside random triggers of other programs")
struct TriggerOrderRandomTests {
  private typealias Item = Followed.Item
  private typealias State = [DatabaseValue: [DatabaseValue]]

  private static let columns = ["id", "b", "c", "t", "x"]

  /// A database with random triggers, and a connection of another program to it.
  private struct World {
    let db: Database
    let stranger: Database
    let triggers: [String]
    /// Whether statements replace rows. Then no trigger on deletions writes the table.
    let replaces: Bool
    var random: SeededGenerator

    init(seed: UInt64) throws {
      var random = SeededGenerator(seed: seed)
      let replaces = Bool.random(using: &random)
      db = try .temporary(models: [Followed.Plain.Item.self])
      stranger = try Database(path: try #require(db.path))
      try stranger.execute("PRAGMA recursive_triggers = ON")
      // A column that no model declares, and that stores every value as it is.
      try db.execute("ALTER TABLE Item ADD COLUMN x ANY; CREATE TABLE fuel (n INTEGER NOT NULL)")
      let isFirst = Bool.random(using: &random)
      if isFirst { try db.migrate([Item.self]) }
      var triggers: [String] = []
      for number in 1...Int.random(in: 1...3, using: &random) {
        let place = Int.random(in: 0..<3, using: &random)
        let trigger = Self.trigger(number, isTemporary: place > 0, replaces, &random)
        let owner = place == 2 ? stranger : db
        try owner.writeWithoutTransaction { try $0.execute(SQL(unsafe: trigger)) }
        triggers.append("\(place): \(trigger)")
      }
      if !isFirst { try db.migrate([Item.self]) }
      self.triggers = triggers
      self.replaces = replaces
      self.random = random
    }

    private static func trigger(
      _ number: Int, isTemporary: Bool, _ replaces: Bool, _ random: inout SeededGenerator
    ) -> String {
      var events = ["BEFORE INSERT", "AFTER INSERT", "AFTER UPDATE OF b", "AFTER UPDATE OF c, x"]
      if !replaces { events.append("AFTER DELETE") }
      let event = events.randomElement(using: &random) ?? ""
      let key = event.contains("DELETE") ? "OLD.id" : "NEW.id"
      let digit = Int.random(in: 1...3, using: &random)
      let value = value(&random)
      let body =
        [
          "UPDATE Item SET c = \(digit), t = 'trigger \(number)', x = \(value) WHERE id = \(key)",
          "UPDATE Item SET t = 'other' WHERE id = \(key) + 1",
          "UPDATE Item SET id = id + 3 WHERE id = \(key) AND b = 2",
          "UPDATE Item SET c = c + 1 WHERE id = \(key) AND c < 5",
          "DELETE FROM Item WHERE id = \(key) AND b = \(digit)",
          "INSERT OR IGNORE INTO Item VALUES (\(key) % 5 + 1, \(digit), 9, 'born', \(value))",
          replaces
            ? "INSERT OR REPLACE INTO Item VALUES (\(key) % 5 + 1, \(digit), 9, 'placed', 1)"
            : "UPDATE OR IGNORE Item SET id = \(key) % 5 + 1 WHERE id = \(key)",
        ].randomElement(using: &random) ?? ""
      return """
        CREATE \(isTemporary ? "TEMP " : "")TRIGGER foreign\(number) \(event) ON \
        \(isTemporary ? "main." : "")Item WHEN (SELECT n FROM fuel) > 0 \
        BEGIN UPDATE fuel SET n = n - 1; \(body); END
        """
    }

    private static func value(_ random: inout SeededGenerator) -> String {
      ["1", "1.0", "'1'", "x'31'", "NULL", "2"].randomElement(using: &random) ?? ""
    }

    mutating func statement() -> String {
      let id = Int.random(in: 1...5, using: &random)
      let other = Int.random(in: 1...5, using: &random)
      let digit = Int.random(in: 1...4, using: &random)
      let value = Self.value(&random)
      let replace = replaces ? "OR REPLACE" : "OR IGNORE"
      return [
        "INSERT \(replace) INTO Item VALUES (\(id), \(digit), \(digit), 'new \(digit)', \(value))",
        "INSERT OR IGNORE INTO Item VALUES (\(id), \(digit), NULL, NULL, \(value))",
        "INSERT INTO Item VALUES (\(id), 0, 0, 'up', 0) ON CONFLICT DO UPDATE SET b = \(digit)",
        "UPDATE Item SET b = \(digit), t = 'set \(digit)' WHERE id <= \(id)",
        "UPDATE Item SET c = \(digit), x = \(value) WHERE id = \(id)",
        "UPDATE \(replace) Item SET id = \(id), t = 'moved' WHERE id = \(other)",
        "UPDATE OR IGNORE Item SET id = \(id), t = 'maybe' WHERE id IN (\(other), 4)",
        "DELETE FROM Item WHERE id = \(id)",
      ].randomElement(using: &random) ?? ""
    }

    /// Runs some statements in one transaction, and returns them. A violated constraint, and
    /// triggers that fire each other too deep, are among the outcomes.
    mutating func transaction() throws -> [String] {
      let statements = (0..<Int.random(in: 1...4, using: &random)).map { _ in statement() }
      let writer = Bool.random(using: &random) ? db : stranger
      try writer.write { connection in
        try connection.execute("DELETE FROM fuel; INSERT INTO fuel VALUES (30)")
        for statement in statements {
          do {
            try connection.savepoint { try $0.execute(SQL(unsafe: statement)) }
          } catch let error as DatabaseError where error.code.primary == .constraint {
          }
        }
      }
      return statements
    }

    func state() throws -> State {
      let list = TriggerOrderRandomTests.columns.joined(separator: ", ")
      let rows = try db.rows("SELECT \(unsafe: list) FROM Item")
      return Dictionary(uniqueKeysWithValues: rows.map { ($0.values[0], $0.values) })
    }
  }

  /// Returns the changes between two states, by key: the old and the new value of each column that
  /// differs.
  private func difference(
    _ old: State, _ new: State
  ) -> [DatabaseValue: [String: [DatabaseValue?]]] {
    var changes: [DatabaseValue: [String: [DatabaseValue?]]] = [:]
    for key in Set(old.keys).union(new.keys) where old[key] != new[key] {
      for (index, column) in Self.columns.enumerated() {
        let pair = [old[key]?[index], new[key]?[index]]
        if pair[0] != pair[1] || index == 0 { changes[key, default: [:]][column] = pair }
      }
    }
    return changes
  }

  private func changes(
    _ entries: [LogEntry]
  ) -> [DatabaseValue: [String: [DatabaseValue?]]] {
    var changes: [DatabaseValue: [String: [DatabaseValue?]]] = [:]
    for change in entries.flatMap(\.changes) {
      let columns = Set(change.changedColumns + ["id"])
      changes[change.keyValues[0]] = Dictionary(
        uniqueKeysWithValues: columns.map { ($0, [change.old($0), change.new($0)]) })
    }
    return changes
  }

  @Test("each entry has the difference between the rows before and after, and the index is whole")
  func randomTriggers() throws {
    let seed = TestSeed.draw()
    for round in 0..<UInt64(TestSize.count(small: 25, full: 400, long: 3_000)) {
      var world = try World(seed: seed &+ round)
      var before = try world.state()
      var position = try world.db.read { try $0.logPosition() }
      for _ in 0..<25 {
        let statements = try world.transaction()
        let after = try world.state()
        let entries = try world.db.log.entries(after: position)
        let place = "seed \(seed &+ round): \(world.triggers), \(statements)"
        guard entries.count <= 1, entries.allSatisfy({ $0.changes.allSatisfy(\.isCertain) }),
          changes(entries) == difference(before, after)
        else {
          Issue.record("\(place): \(changes(entries)), not \(difference(before, after))")
          return
        }
        guard try world.db.checkSearchIndex(of: Item.self) else {
          Issue.record("\(place): the index does not agree with its table")
          return
        }
        before = after
        position = entries.last?.position ?? position
      }
    }
  }
}

extension AnyLogChange {
  fileprivate var isCertain: Bool { uncertainColumns.isEmpty }
}

/// A table that is logged and searched, and its form before.
enum Followed {
  enum Plain {
    struct Item: Model {
      @PrimaryKey var id: Int
      @Column var b: Int?
      @Column var c: Int?
      @Column var t: String?
    }
  }

  struct Item: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var b: Int?
    @Column var c: Int?
    @Column var t: String?

    static var schema: Schema<Item> {
      Logged()
      FullText(\.$t)
    }
  }
}
