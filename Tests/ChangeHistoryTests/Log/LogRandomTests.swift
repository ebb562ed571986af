import ApusHistory
import QueryDSL
import SQLCore
import TestRun
import Testing

@testable import QueryFixtures

@Suite("The change log against a plain reference")
struct LogRandomTests {
  private typealias Row = [String: DatabaseValue]
  private typealias State = [String: [[DatabaseValue]: Row]]

  private struct Undone: Error {}

  /// Makes one random statement. A violated constraint is one of the outcomes.
  private func write(_ connection: Connection, _ random: inout SeededGenerator) throws {
    let id = Int.random(in: 1...12, using: &random)
    let other = Int.random(in: 1...12, using: &random)
    let shelf = Int.random(in: 1...3, using: &random)
    let slug: String? =
      Bool.random(using: &random) ? nil : ["a", "A", "b", "c"].randomElement(using: &random)
    let weight = Double(Int.random(in: 0...2, using: &random)) / 3
    switch Int.random(in: 0..<14, using: &random) {
    case 0, 1, 2:
      try connection.execute(
        """
        INSERT INTO Book (id, title, slug, weight, shelfID, changes)
        VALUES (\(id), 't', \(slug), \(weight), (SELECT id FROM Shelf WHERE id = \(shelf)), 0)
        """)
    case 3, 4:
      try connection.execute(
        """
        INSERT OR REPLACE INTO Book (id, title, slug, weight, changes)
        VALUES (\(id), 'r', \(slug), \(weight), 0)
        """)
    case 5: try connection.execute("UPDATE OR REPLACE Book SET slug = \(slug) WHERE id = \(id)")
    case 6: try connection.execute("UPDATE OR REPLACE Book SET id = \(id) WHERE id = \(other)")
    case 7: try connection.execute("UPDATE Book SET weight = \(weight), title = 't'")
    case 8: try connection.execute("UPDATE OR IGNORE Book SET id = id + 1, cover = x'00'")
    case 9: try connection.execute("DELETE FROM Book WHERE id IN (\(id), \(other)) OR id > 20")
    case 10: try connection.execute("DELETE FROM Shelf WHERE id = \(shelf)")
    case 11: try connection.execute("INSERT OR IGNORE INTO Shelf VALUES (\(shelf), 'x')")
    case 12: try connection.execute("UPDATE Shelf SET id = \(shelf), name = 'y'")
    default:
      try connection.execute(
        """
        INSERT INTO Book (id, title, weight, changes) VALUES (\(id), 'u', 0, 0)
        ON CONFLICT (id) DO UPDATE SET changes = changes + 1
        """)
    }
  }

  /// Makes a transaction of random statements; some are undone, some transactions as well.
  private func transaction(_ db: Database, _ random: inout SeededGenerator) throws {
    var local = random
    defer { random = local }
    do {
      try db.write { connection in
        for _ in 0..<Int.random(in: 1...4, using: &local) {
          do {
            try connection.savepoint { connection in
              try write(connection, &local)
              if Int.random(in: 0..<6, using: &local) == 0 { throw Undone() }
            }
          } catch is Undone {
          } catch let error as DatabaseError where error.code.primary == .constraint {
          }
        }
        if Int.random(in: 0..<6, using: &local) == 0 { throw Undone() }
      }
    } catch is Undone {}
  }

  private func state(_ db: Database) throws -> State {
    var state: State = [:]
    let columns = [
      "Book": ["id", "title", "slug", "weight", "cover", "shelfID", "changes"],
      "Shelf": ["id", "name"],
    ]
    for (table, names) in columns {
      let list = names.joined(separator: ", ")
      for row in try db.rows("SELECT \(unsafe: list) FROM \(identifier: table)") {
        state[table, default: [:]][[row.values[0]]] = Dictionary(
          uniqueKeysWithValues: zip(names, row.values))
      }
    }
    return state
  }

  /// Applies an entry. Returns false if it does not fit.
  private func apply(_ entry: LogEntry, to state: inout State) -> Bool {
    for change in entry.changes {
      let row = state[change.table]?[change.keyValues]
      switch change.kind {
      case .inserted:
        guard row == nil else { return false }
        state[change.table, default: [:]][change.keyValues] = Dictionary(
          uniqueKeysWithValues: change.changedColumns.map { ($0, change.new($0) ?? .text("?")) })
      case .deleted:
        guard let row, change.changedColumns.allSatisfy({ row[$0] == change.old($0) }) else {
          return false
        }
        state[change.table]?[change.keyValues] = nil
        if state[change.table]?.isEmpty == true { state[change.table] = nil }
      case .updated:
        guard var row, !change.changedColumns.isEmpty else { return false }
        for column in change.changedColumns {
          guard row[column] == change.old(column), row[column] != change.new(column) else {
            return false
          }
          row[column] = change.new(column)
        }
        state[change.table]?[change.keyValues] = row
      }
    }
    return true
  }

  @Test("after random transactions, the entries lead from each state to the next")
  func randomTransactions() throws {
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    let db = try Archive.database()
    var position = LogPosition.start
    var expected: State = [:]
    for round in 0..<TestSize.count(small: 500, full: 5_000, long: 50_000) {
      try transaction(db, &random)
      let entries = try db.log.entries(after: position)
      let actual = try state(db)
      var isRight = entries.count <= 1
      for entry in entries {
        isRight = isRight && apply(entry, to: &expected) && entry.sequence > position.number
        position = entry.position
      }
      guard isRight, expected == actual else {
        Issue.record("seed \(seed), round \(round): \(entries.map(Archive.summary))")
        return
      }
      if round % 50 == 49 { try db.log.purge(keeping: .init(count: 3)) }
    }
  }
}
