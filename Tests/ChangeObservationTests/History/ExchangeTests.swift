import Foundation
import QueryDSL
import SQLCore
import TestRun
import Testing

@Suite("Exchanging transactions between databases")
struct ExchangeTests {
  private struct Item: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var name: String
    @Column var note: String?
    @Column var weight = 0.0
    @Column var cover: Data?
    @Column var edits = 0

    static var schema: Schema<Item> {
      Logged()
      FullText(\.$name)
      Trigger("count", after: .update(of: \.$name)) { _, new in
        Item.update { $0.$edits += 1 }.where { $0.$id == new.$id }
      }
    }
  }

  private struct Part: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var item: Int
    @Column var serial: String?

    static var schema: Schema<Part> {
      Logged()
      Unique(\.$serial)
      ForeignKey(\.$item, references: \Item.$id)
    }
  }

  private func database() throws -> Database {
    try .temporary(models: [Item.self, Part.self])
  }

  /// Sends a batch as JSON, as over a network.
  @discardableResult
  private func send(
    from source: Database, to target: Database, after position: Int64? = nil, limit: Int = 100,
    relaying: Bool = false, resolving policy: ConflictPolicy = .fail
  ) throws -> LogApplication {
    let start = try position ?? target.log.appliedPosition(of: source.log.identity)
    let batch = try source.log.batch(after: start, limit: limit, relaying: relaying)
    let data = try JSONEncoder().encode(batch)
    let received = try JSONDecoder().decode(LogBatch.self, from: data)
    #expect(received == batch)
    return try target.log.apply(received, resolving: policy)
  }

  @Test("transactions are applied whole, once, with their origin, and are not sent back")
  func basics() throws {
    let (a, b) = (try database(), try database())
    try a.write(label: "Add") { tx in
      try tx.setLogAuthor("ada")
      try tx.insert(
        Item(id: 1, name: "one", note: nil, weight: 1.0 / 3, cover: Data([0, 255])))
      try tx.insert(Part(id: 1, item: 1))
    }
    try a.execute("UPDATE Item SET name = 'first'")
    #expect(try a.find(Item.self, 1)?.edits == 1)
    #expect(try send(from: a, to: b).count == 2)
    #expect(try b.fetch(Item.all) == a.fetch(Item.all))
    #expect(try b.fetch(Part.all) == a.fetch(Part.all))
    #expect(try b.checkSearchIndex(of: Item.self))
    #expect(try b.count(Item.search("first")) == 1)
    // Again, from the beginning.
    #expect(try send(from: a, to: b, after: 0).count == 0)
    let entries = try b.log.entries()
    #expect(entries.map(\.label) == ["Add", nil])
    #expect(entries.map(\.author) == ["ada", nil])
    let identity = try a.log.identity
    #expect(entries.map(\.origin?.database) == [identity, identity])
    #expect(entries.map(\.origin?.sequence) == (try a.log.entries().map(\.sequence)))
    #expect(entries.map(\.date) == (try a.log.entries().map(\.date)))
    // Sent back even when relayed, they are passed over.
    #expect(try send(from: b, to: a).count == 0)
    #expect(try send(from: b, to: a, after: 0, relaying: true).count == 0)
    #expect(try a.log.entries().count == 2)
    // A batch that begins too late is refused.
    try a.execute("UPDATE Item SET weight = 2")
    try a.execute("UPDATE Item SET weight = 3")
    let last = try a.logPositionBeforeLast()
    #expect(throws: LogError.self) { try send(from: a, to: b, after: last) }
    #expect(try send(from: a, to: b).count == 2)
    #expect(try b.find(Item.self, 1)?.weight == 3)
  }

  @Test("a conflict fails with the rows, or the policy decides and it is reported")
  func conflicts() throws {
    let (a, b) = (try database(), try database())
    try a.insert(Item(id: 1, name: "one"))
    try send(from: a, to: b)
    try a.execute("UPDATE Item SET note = 'a', weight = 1")
    try b.execute("UPDATE Item SET note = 'b'")
    let before = try b.fetch(Item.all)
    let error = #expect(throws: ChangeConflicts.self) { try send(from: a, to: b) }
    #expect(error?.conflicts.map(\.reason) == [.columnsChanged(["note"])])
    #expect(try b.fetch(Item.all) == before)
    #expect(try b.log.entries().count == 2)
    let outcome = try send(
      from: a, to: b,
      resolving: ConflictPolicy { $0.current?["note"] == "b" ? .apply : .fail })
    #expect(outcome.conflicts.map(\.wasApplied) == [true])
    #expect(try b.find(Item.self, 1)?.note == "a")
    #expect(try b.find(Item.self, 1)?.weight == 1)
  }

  @Test("a missing parent is a conflict until it has arrived; the newest value of a column wins")
  func parentsAndTimes() throws {
    let (a, b, c) = (try database(), try database(), try database())
    try a.insert(Item(id: 1, name: "one"))
    try send(from: a, to: b)
    try b.insert(Part(id: 1, item: 1))
    #expect(throws: ChangeConflicts.self) { try send(from: b, to: c) }
    try send(from: a, to: c)
    try send(from: b, to: c)
    #expect(try c.count(Part.all) == 1)
    try a.execute("UPDATE Item SET note = 'first'")
    try b.execute("UPDATE Item SET note = 'second', weight = 5")
    try send(from: b, to: c, resolving: .newer)
    try send(from: a, to: c, resolving: .newer)
    try send(from: b, to: a, resolving: .newer)
    try send(from: a, to: b, resolving: .newer)
    for db in [a, b, c] {
      #expect(try db.find(Item.self, 1)?.note == "second")
      #expect(try db.find(Item.self, 1)?.weight == 5)
    }
  }

  // MARK: Random histories

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
    arguments: [2])
  func convergence(_ count: Int) throws {
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    for history in 0..<TestSize.count(small: 6, full: 30, long: 10_000) {
      let databases = try (0..<count).map { _ in try database() }
      var next = 0
      for _ in 0..<Int.random(in: 10...40, using: &random) {
        let place = Int.random(in: 0..<count, using: &random)
        guard Int.random(in: 0..<3, using: &random) == 0 else {
          try write(databases[place], place, &next, &random)
          continue
        }
        let target = (place + Int.random(in: 1..<count, using: &random)) % count
        let known = try databases[target].log.appliedPosition(of: databases[place].log.identity)
        // Batches are repeated, and lost, so that the next one begins too late.
        let start = max(0, known + Int64.random(in: -3...1, using: &random))
        do {
          try send(
            from: databases[place], to: databases[target], after: start,
            limit: Int.random(in: 1...5, using: &random), resolving: .newer)
        } catch LogError.missingTransactions {
          #expect(start > known)
        }
      }
      for (index, source) in databases.enumerated() {
        for (other, target) in databases.enumerated() where index != other {
          let identity = try source.log.identity
          while try target.log.appliedPosition(of: identity)
            < source.read({ try $0.logPosition() })
          {
            try send(
              from: source, to: target, limit: Int.random(in: 1...9, using: &random),
              resolving: .newer)
          }
        }
      }
      let expected = try expected(databases)
      for (index, db) in databases.enumerated() {
        let actual = try rows(db)
        guard actual == expected, try db.checkSearchIndex(of: Item.self) else {
          Issue.record(
            "seed \(seed), history \(history), database \(index): \(actual) and not \(expected)")
          return
        }
      }
    }
  }
}

extension Database {
  fileprivate func logPositionBeforeLast() throws -> Int64 {
    let entries = try log.entries()
    return entries.dropLast().last?.sequence ?? 0
  }
}
