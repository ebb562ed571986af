import Apus
import Foundation

/// A client of the cluster: one database with its pool, which some writers share.
final class Client: Sendable {
  let number: Int
  let db: Database
  /// The last number that each writer of this client saw acknowledged.
  private let last = Locked<[Int: Int]>([:])

  init(_ number: Int, _ db: Database) {
    self.number = number
    self.db = db
  }

  func createTables() throws {
    try db.execute(
      """
      CREATE TABLE entry (id INTEGER PRIMARY KEY, writer INTEGER NOT NULL, number INTEGER NOT NULL);
      CREATE INDEX entry_writer ON entry (writer, number);
      CREATE TABLE list (id INTEGER PRIMARY KEY, items TEXT NOT NULL);
      """)
  }

  func note(_ number: Int, of writer: Int) {
    last.withLock { $0[writer] = max($0[writer] ?? -1, number) }
  }

  func lastNumber(of writer: Int) -> Int { last.withLock { $0[writer] ?? -1 } }
}

/// Writes numbers, with and without keys, appends to lists, and reads what it and its neighbours in
/// the same client have written.
final class Writer: Sendable {
  private let id: Int
  private let client: Client
  private let history: History
  private let isPlanted: Bool

  init(id: Int, _ client: Client, _ history: History, isPlanted: Bool) {
    self.id = id
    self.client = client
    self.history = history
    self.isPlanted = isPlanted
  }

  func run() async {
    var number = 0
    while !history.hasEnded {
      switch number % 4 {
      case 3 where !isPlanted: await writeWithoutKey(number)
      case 1: await append(number)
      default: await writeWithKey(number)
      }
      await read()
      number += 1
    }
  }

  private func insert(_ number: Int) -> @Sendable (Connection) throws -> Void {
    { [id] tx in
      try tx.execute("INSERT INTO entry (writer, number) VALUES (\(id), \(number))")
    }
  }

  /// Writes until it is known to be done, with one key. With the planted fault, with none.
  private func writeWithKey(_ number: Int) async {
    var attempt = 0
    let start = ContinuousClock.now
    while true {
      do {
        if isPlanted {
          try await client.db.write(insert(number))
        } else {
          let written = try await client.db.write(id: "entry \(id) \(number)", insert(number))
          history.count(written.isRepeated)
        }
        history.acknowledge(entry: number, of: id, since: start)
        client.note(number, of: id)
        return
      } catch {
        attempt += 1
        history.fail(error)
        // Even the last write is resolved, when all nodes work again.
        if attempt > 100 { return history.violate("write \(number) of \(id): \(error)") }
        try? await Task.sleep(for: .milliseconds(50))
      }
    }
  }

  /// Writes once, and notes what is known of the outcome.
  private func writeWithoutKey(_ number: Int) async {
    let start = ContinuousClock.now
    do {
      try await client.db.write(insert(number))
      history.acknowledge(entry: number, of: id, since: start)
      client.note(number, of: id)
    } catch let error as RemoteSessionError where error.outcome == .unknown {
      history.fail(error)
    } catch {
      history.fail(error)
      history.refuse(entry: number, of: id)
    }
  }

  /// Appends an element to a list that other writers append to as well.
  private func append(_ number: Int) async {
    let element = number * 100 + id
    let list = number / 40
    let key = WriteKey("element \(element)")
    let start = ContinuousClock.now
    for attempt in 0... {
      do {
        try await client.db.write(id: key) { tx in
          let items = try tx.row("SELECT items FROM list WHERE id = \(list)")?.get(
            String.self, at: 0)
          let longer = items.map { "\($0),\(element)" } ?? "\(element)"
          try tx.execute("INSERT OR REPLACE INTO list (id, items) VALUES (\(list), \(longer))")
        }
        return history.acknowledge(element: element, since: start)
      } catch {
        history.fail(error)
        if attempt > 100 { return history.violate("element \(element): \(error)") }
        try? await Task.sleep(for: .milliseconds(50))
      }
    }
  }

  /// Reads a writer's last number, which is not less than the last one that was acknowledged to this
  /// client before the read began.
  private func read() async {
    let writer = client.number * 4 + Int.random(in: 0..<4)
    let expected = client.lastNumber(of: writer)
    do {
      let found = try await client.db.fetch(
        Int?.self, "SELECT max(number) FROM entry WHERE writer = \(writer)"
      ).first.flatMap { $0 }
      history.countRead()
      if (found ?? -1) < expected {
        history.violate(
          "client \(client.number) read \(found ?? -1) after it wrote \(expected) (writer \(writer))"
        )
      }
    } catch {
      history.failRead()
    }
  }
}
