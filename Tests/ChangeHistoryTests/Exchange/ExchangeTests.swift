import ApusHistory
import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@Suite("Exchanging transactions between databases")
struct ExchangeTests {
  private typealias Item = Exchanged.Item
  private typealias Part = Exchanged.Part

  private func database() throws -> Database {
    try .temporary(models: [Item.self, Part.self])
  }

  /// Sends a batch as JSON, as over a network.
  @discardableResult
  private func send(
    from source: Database, to target: Database, after position: LogPosition? = nil,
    limit: Int = 100,
    relaying: Bool = false, resolving policy: ConflictPolicy = .fail
  ) throws -> LogApplication {
    let start =
      try position
      ?? target.log.appliedPosition(of: source.log.identity, relaying: relaying)
    let batch = try source.log.batch(after: start, limit: limit, relaying: relaying)
    let data = try JSONEncoder().encode(batch)
    let received = try JSONDecoder().decode(LogBatch.self, from: data)
    #expect(received == batch)
    return try target.log.apply(received, resolving: policy)
  }

  @Test("rows of a table that is not logged follow the foreign keys when a deletion is applied")
  func unloggedChildren() throws {
    let (a, b) = (try database(), try database())
    try a.insert(Item(id: 1, name: "one", note: nil, weight: 0, cover: nil))
    try a.insert(Item(id: 2, name: "two", note: nil, weight: 0, cover: nil))
    try send(from: a, to: b)
    try b.execute(
      """
      CREATE TABLE Unread (item INTEGER PRIMARY KEY REFERENCES Item ON DELETE CASCADE);
      INSERT INTO Unread VALUES (1), (2)
      """)
    try a.execute("DELETE FROM Item WHERE id = 1")
    #expect(try send(from: a, to: b).conflicts.isEmpty)
    #expect(try b.fetch(Int.self, "SELECT item FROM Unread") == [2])
    #expect(try b.rows("PRAGMA foreign_key_check").isEmpty)
    // A row of a logged table that only this database has is in the way, as before.
    try b.insert(Part(id: 1, item: 2))
    try a.execute("DELETE FROM Item WHERE id = 2")
    #expect(throws: ChangeConflicts.self) { try send(from: a, to: b) }
    #expect(try b.fetch(Int.self, "SELECT item FROM Unread") == [2])
  }

  @Test("an exchange in asynchronous code")
  func asynchronous() async throws {
    let (a, b) = (try database(), try database())
    try await a.insert(Item(id: 1, name: "one", note: nil, weight: 0, cover: nil))
    let batch = try await a.log.batch(after: b.log.appliedPosition(of: a.log.identity))
    #expect(batch == (try synchronously { try a.log.batch(after: .start) }))
    #expect(try await b.log.apply(batch).count == 1)
    #expect(try await b.log.appliedPosition(of: batch.source) == batch.end)
    #expect(try await b.find(Item.self, 1)?.name == "one")
  }

  private func synchronously<Result>(_ body: () throws -> Result) rethrows -> Result { try body() }

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
    // The log counts milliseconds: of two changes in the same one, neither is newer.
    let first = ContinuousClock.now
    while ContinuousClock.now - first < .milliseconds(2) {}
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

  @Test("transactions that a batch left out are missing, even if a later one was relayed")
  func gaps() throws {
    let (a, b, c) = (try database(), try database(), try database())
    for id in 1...3 { try a.insert(Item(id: id, name: "a")) }
    try send(from: a, to: b)
    try b.insert(Item(id: 4, name: "b"))
    // The batch of own transactions passes over what was applied from elsewhere.
    #expect(try send(from: b, to: c).count == 1)
    try a.insert(Item(id: 5, name: "a"))
    try send(from: a, to: b)
    let identity = try b.log.identity
    let position = try c.log.appliedPosition(of: identity)
    #expect(position.number == 4)
    #expect(try c.log.appliedPosition(of: identity, relaying: true) == .start)
    #expect(throws: LogError.missingTransactions(source: identity, after: 0, before: position)) {
      try send(from: b, to: c, after: position, relaying: true)
    }
    #expect(try send(from: a, to: c, limit: 2).count == 2)
    let third = try a.log.entries()[2].position
    #expect(throws: LogError.self) { try send(from: a, to: c, after: third) }
    // From the beginning, what was applied is passed over.
    #expect(try send(from: b, to: c, relaying: true).count == 2)
    #expect(try c.fetch(Int.self, "SELECT id FROM Item ORDER BY id") == [1, 2, 3, 4, 5])
    #expect(try send(from: a, to: c).count == 0)
    #expect(try c.log.entries().map(\.origin?.sequence) == [4, 1, 2, 3, 4])
  }

  @Test("a row is inserted after updates of it have arrived, with what they set")
  func lateInsertion() throws {
    let (a, b, c) = (try database(), try database(), try database())
    try a.insert(Item(id: 1, name: "one"))
    try send(from: a, to: b)
    try b.execute("UPDATE Item SET note = 'b'")
    // The update comes before its row. It says nothing of the other columns.
    let outcome = try send(from: b, to: c, resolving: .newer)
    #expect(outcome.conflicts.map(\.conflict.reason) == [.rowIsGone])
    try send(from: a, to: c, resolving: .newer)
    #expect(try c.fetch(Item.all) == [Item(id: 1, name: "one", note: "b")])
    try a.execute("UPDATE Item SET weight = 2")
    try send(from: a, to: c, resolving: .newer)
    #expect(try c.fetch(Item.all) == [Item(id: 1, name: "one", note: "b", weight: 2)])
  }
}

extension Database {
  fileprivate func logPositionBeforeLast() throws -> LogPosition {
    let entries = try log.entries()
    return entries.dropLast().last?.position ?? .start
  }
}
