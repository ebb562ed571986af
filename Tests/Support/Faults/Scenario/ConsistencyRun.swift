import Apus
import Foundation
import Synchronization

/// The work of one process in a trial of consistency.
final class ConsistencyRun: Sendable {
  struct Balance: Model {
    @PrimaryKey var id: Int
    @Column var amount: Int
  }

  struct Element: Model {
    @PrimaryKey var id: Int64?
    @Column var list: Int
    @Column var value: Int
    static var schema: Schema<Element> { Index(\.$list) }
  }

  struct Clock: Model {
    @PrimaryKey var id: Int
    @Column var ticks: Int
  }

  private static let models: [any Model.Type] = [Balance.self, Element.self, Clock.self]
  private static let balances = 20
  private static let lists = 5
  private static let total = balances * 100

  private let db: Database
  private let seed: UInt64
  private let process: Int
  private let history = Mutex(History())

  init(path: String, seed: UInt64, number: Int) async throws {
    self.seed = seed
    process = number * 10
    db = try Database(path: path, models: Self.models, configuration: Self.configuration)
    try await db.write { tx in
      try tx.insert((0..<Self.balances).map { Balance(id: $0, amount: 100) })
      try tx.insert(Clock(id: 0, ticks: 0))
    }
  }

  private init(joining path: String, process: Int) throws {
    seed = UInt64(process)
    self.process = process
    db = try Database(path: path, models: Self.models, configuration: Self.configuration)
  }

  private static var configuration: Configuration {
    var configuration = Configuration.relaxed
    configuration.maximumWALBytes = 100_000
    configuration.busyTimeout = .seconds(60)
    return configuration
  }

  static func child(path: String, seed: Int) async throws {
    let run = try ConsistencyRun(joining: path, process: seed)
    var history = History()
    try await run.run(tasks: 3, transactions: 40, &history)
    for transaction in history.transactions {
      let reads = transaction.reads.map { key, values in
        "r\(key)=" + values.map(String.init).joined(separator: ",")
      }
      let appends = transaction.appends.map { "a\($0)=\($1)" }
      ChildRun.say("txn " + (reads + appends).joined(separator: " "))
    }
    for finding in history.findings { ChildRun.say("anomaly " + finding) }
  }

  func run(tasks: Int, transactions: Int, _ history: inout History) async throws {
    let ticks = Mutex<[Int]>([])
    let changes = db.changes(of: Clock.self)
    let following = Task {
      for await element in changes where element.isComplete {
        for row in element.rows {
          guard let number = try? row.new(\.$ticks) else { continue }
          ticks.withLock { $0.append(number) }
        }
      }
    }
    try await withThrowingTaskGroup { group in
      for task in 0..<tasks {
        group.addTask { try await self.transact(task, transactions) }
      }
      try await group.waitForAll()
    }
    following.cancel()
    await following.value
    let reported = ticks.withLock { $0 }
    if zip(reported, reported.dropFirst()).contains(where: { $0 >= $1 }) {
      self.history.withLock {
        $0.find("changes were reported out of order: \(reported.prefix(30))")
      }
    }
    history = self.history.withLock { $0 }
  }

  private func transact(_ task: Int, _ count: Int) async throws {
    var random = SeededGenerator(seed: seed, number: process * 100 + task)
    var lastTicks = 0
    for number in 0..<count {
      switch Int.random(in: 0..<4, using: &random) {
      case 0: try await transfer(&random)
      case 1: try await readLists(&random)
      default: try await append(((process * 100 + task) * 1_000) + number, &random)
      }
      // The values that a task reads never go back, and include what the task wrote.
      let ticks = try await db.find(Clock.self, 0)?.ticks ?? -1
      if ticks < lastTicks { find("ticks went back from \(lastTicks) to \(ticks)") }
      lastTicks = ticks
      let sum = try await db.fetch(Int.self, "SELECT sum(amount) FROM Balance").first
      if sum != Self.total { find("the sum is \(String(describing: sum))") }
    }
  }

  private func find(_ anomaly: String) { history.withLock { $0.find(anomaly) } }

  private func transfer(_ random: inout SeededGenerator) async throws {
    let from = Int.random(in: 0..<Self.balances, using: &random)
    let to = Int.random(in: 0..<Self.balances, using: &random)
    let amount = Int.random(in: 1...9, using: &random)
    guard from != to else { return }
    let written = try await db.write { tx -> Int in
      guard var first = try tx.find(Balance.self, from), var second = try tx.find(Balance.self, to),
        var clock = try tx.find(Clock.self, 0)
      else { throw Violation("a balance or the clock is missing") }
      first.amount -= amount
      second.amount += amount
      clock.ticks += 1
      try tx.update([first, second])
      try tx.update(clock)
      return clock.ticks
    }
    let read = try await db.find(Clock.self, 0)?.ticks ?? -1
    if read < written { find("after \(written) was written, \(read) was read") }
  }

  private func append(_ value: Int, _ random: inout SeededGenerator) async throws {
    let keys = Set((0..<2).map { _ in Int.random(in: 0..<Self.lists, using: &random) })
    let target = Int.random(in: 0..<Self.lists, using: &random)
    let transaction = try await db.write { tx -> History.Transaction in
      var transaction = History.Transaction()
      for key in keys { transaction.reads[key] = try Self.list(key, tx) }
      try tx.insert(Element(id: nil, list: target, value: value))
      transaction.appends[target] = value
      return transaction
    }
    history.withLock { $0.add(transaction) }
  }

  private func readLists(_ random: inout SeededGenerator) async throws {
    let keys = Set((0..<3).map { _ in Int.random(in: 0..<Self.lists, using: &random) })
    let transaction = try await db.read { connection -> History.Transaction in
      var transaction = History.Transaction()
      for key in keys { transaction.reads[key] = try Self.list(key, connection) }
      return transaction
    }
    history.withLock { $0.add(transaction) }
  }

  private static func list(_ key: Int, _ connection: Connection) throws -> [Int] {
    try connection.fetch(
      Element.where { $0.$list == key }.order(by: \.$id).select(\.$value))
  }

  /// Returns the lists that the file has at the end.
  func finalLists() throws -> [Int: [Int]] {
    try db.read { connection in
      var lists: [Int: [Int]] = [:]
      for key in 0..<Self.lists { lists[key] = try Self.list(key, connection) }
      return lists
    }
  }

  func finish(_ history: inout History) throws {
    let sum = try db.fetch(Int.self, "SELECT sum(amount) FROM Balance").first
    try require(sum == Self.total, "the sum is \(String(describing: sum)) at the end")
  }
}
