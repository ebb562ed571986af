import ApusHistory
import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@testable import QueryFixtures

@Suite("Random exchanges between databases")
struct RandomExchangeTests {
  private typealias Item = Exchanged.Item

  /// The databases that exchange transactions, and how.
  enum Exchange: CaseIterable {
    /// Each sends its own transactions to each other one.
    case two, three
    /// The first one sends on what it has from the others, which know only the first one.
    case hub
    /// Three databases; each sends on to each what it has, or only its own transactions.
    case mixed

    var count: Int { self == .two ? 2 : 3 }

    func connects(_ source: Int, _ target: Int) -> Bool {
      source != target && (self != .hub || source == 0 || target == 0)
    }

    func relays(_ random: inout SeededGenerator) -> Bool {
      switch self {
      case .two, .three: false
      case .hub: true
      case .mixed: Bool.random(using: &random)
      }
    }
  }

  /// Sends a batch as JSON, as over a network.
  private func send(
    _ relaying: Bool, from source: Database, to target: Database, after start: LogPosition,
    _ random: inout SeededGenerator
  ) throws {
    let batch = try source.log.batch(
      after: start, limit: Int.random(in: 1...9, using: &random), relaying: relaying)
    let data = try JSONEncoder().encode(batch)
    try target.log.apply(JSONDecoder().decode(LogBatch.self, from: data), resolving: .newer)
  }

  private func write(
    _ db: Database, _ place: Int, _ next: inout Int, _ random: inout SeededGenerator
  ) throws {
    var local = random
    var id = next
    defer {
      random = local
      next = id
    }
    try db.write { tx in
      for _ in 0..<Int.random(in: 1...3, using: &local) {
        let known = try tx.fetch(Int.self, "SELECT id FROM Item")
        let value = Int.random(in: 0...3, using: &local)
        let note: String? = value == 0 ? nil : "n\(value)"
        guard let key = known.randomElement(using: &local), value > 0 || known.count > 4 else {
          id += 1
          try tx.insert(Item(id: id * 10 + place, name: "new", note: note))
          continue
        }
        switch Int.random(in: 0..<8, using: &local) {
        case 0: try tx.execute("DELETE FROM Item WHERE id = \(key)")
        case 1: try tx.execute("UPDATE Item SET name = \("w\(value)") WHERE id = \(key)")
        case 2: try tx.execute("UPDATE Item SET note = \(note)")
        case 3:
          try tx.execute("UPDATE Item SET weight = \(value), note = NULL WHERE id = \(key)")
        default: try tx.execute("UPDATE Item SET note = \(note) WHERE id = \(key)")
        }
      }
    }
  }

  /// Returns the rows that all transactions together give: the newest value of each column, without
  /// the rows that were deleted.
  private func expected(_ databases: [Database]) throws -> [Int64: [String: DatabaseValue]] {
    var transactions: [LogTransaction] = []
    for db in databases {
      transactions += try db.log.batch(after: 0, limit: 10_000).transactions
    }
    transactions.sort { ($0.time, $0.origin.database) < ($1.time, $1.origin.database) }
    var rows: [Int64: [String: DatabaseValue]] = [:]
    var deleted: Set<Int64> = []
    for change in transactions.flatMap(\.changes) {
      guard case .integer(let id) = change.keyValues[0] else { continue }
      if change.kind == .deleted { deleted.insert(id) }
      for column in change.changedColumns {
        rows[id, default: [:]][column] = change.new(column)
      }
    }
    return rows.filter { !deleted.contains($0.key) }
  }

  private func rows(_ db: Database) throws -> [Int64: [String: DatabaseValue]] {
    let names = ["id", "name", "note", "weight", "cover", "edits"]
    var rows: [Int64: [String: DatabaseValue]] = [:]
    for row in try db.rows("SELECT id, name, note, weight, cover, edits FROM Item") {
      rows[try row.get(at: 0)] = Dictionary(uniqueKeysWithValues: zip(names, row.values))
    }
    return rows
  }

  @Test(
    "databases that exchange their logs in any order, with losses and repeats, end equal",
    arguments: Exchange.allCases)
  func convergence(_ exchange: Exchange) throws {
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    for history in 0..<TestSize.count(small: 3, full: 20, long: 2_500) {
      let databases = try (0..<exchange.count).map { _ in
        try Database.temporary(models: [Item.self])
      }
      let identities = try databases.map { try $0.log.identity }
      var next = 0
      for _ in 0..<Int.random(in: 10...40, using: &random) {
        let place = databases.indices.randomElement(using: &random) ?? 0
        let target = databases.indices.randomElement(using: &random) ?? 0
        guard exchange.connects(place, target), Int.random(in: 0..<2, using: &random) == 0 else {
          try write(databases[place], place, &next, &random)
          continue
        }
        let relaying = exchange.relays(&random)
        let known = try databases[target].log.appliedPosition(
          of: identities[place], relaying: relaying)
        // Batches are repeated, and lost, so that the next one begins too late.
        let positions = try [.start] + databases[place].log.entries(limit: 10_000).map(\.position)
        let index =
          try #require(positions.firstIndex(of: known)) + Int.random(in: -3...1, using: &random)
        let start = positions[min(max(index, 0), positions.count - 1)]
        do {
          try send(
            relaying, from: databases[place], to: databases[target], after: start, &random)
        } catch LogError.missingTransactions {
          #expect(start.number > known.number)
        }
      }
      try exchangeAll(exchange, databases, identities, &random)
      let expected = try expected(databases)
      for (index, db) in databases.enumerated() {
        let actual = try rows(db)
        guard actual == expected, try db.checkSearchIndex(of: Item.self) else {
          Issue.record(
            """
            seed \(seed), \(exchange), history \(history), database \(index): \(actual) and not \
            \(expected)
            """)
          return
        }
      }
    }
  }

  /// Sends all transactions, until no database has one that another one lacks.
  private func exchangeAll(
    _ exchange: Exchange, _ databases: [Database], _ identities: [String],
    _ random: inout SeededGenerator
  ) throws {
    var isFinished = false
    while !isFinished {
      isFinished = true
      for (source, from) in databases.enumerated() {
        for (target, to) in databases.enumerated() where exchange.connects(source, target) {
          while true {
            let relaying = exchange.relays(&random)
            let position = try to.log.appliedPosition(
              of: identities[source], relaying: relaying)
            guard try position != from.read({ try $0.logPosition() }) else { break }
            isFinished = false
            try send(relaying, from: from, to: to, after: position, &random)
          }
        }
      }
    }
  }
}
