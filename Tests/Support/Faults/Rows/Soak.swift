import Apus
import CSQLite
import Foundation

/// R14: a long mixed load, during which the resources that are held must not grow.
enum Soak: Trial {
  static let name = "R14"
  static let title = "soak"
  static let unit = "rounds"
  static let quick = 2_000
  static let full = 100_000
  /// One process runs it all, since a small leak shows only in the long run.
  static let partSize = 1_000_000

  /// The resources that the process holds when nothing runs.
  private struct Held {
    var descriptors = 0
    var sqliteBytes = 0
    var residentBytes = 0
    var logBytes = 0
    var statements = 0
  }

  static func run(_ numbers: Range<Int>, seed: UInt64, tally: inout Tally) async throws {
    let folder = try Folder(isWatched: false)
    let path = folder.file("soak.sqlite")
    try Samples.makeTemplate(at: path)
    var configuration = Configuration.ofTrials(synchronous: .normal)
    configuration.busyTimeout = .seconds(5)
    configuration.maximumCachedStatements = 32
    // There are as many streams as tasks, and as many again that are about to be returned.
    configuration.maximumReaders = 12
    let db = try Database(
      path: path, models: [Account.self, Entry.self], configuration: configuration)
    var held: [Held] = []
    for number in numbers {
      Progress.show(number)
      var random = SeededGenerator(seed: seed, number: number)
      try await load(db, folder, &random)
      held.append(try measure(db, path))
      tally.count(unit)
    }
    try compare(held, Array(held.suffix(max(1, held.count / 2))), configuration, &tally)
    try await db.close()
    let connection = try PlainConnection(path: path)
    try connection.requireWhole()
  }

  private static func load(
    _ db: Database, _ folder: Folder, _ random: inout SeededGenerator
  ) async throws {
    let base = 1_000_000
    let query = Account.where { $0.$balance > 0 }.order(by: \.$id)
    let observing = Task {
      for try await result in db.observe(query) where result.contains(where: { $0.id == 77_777 }) {
        break
      }
    }
    let changes = db.changes(of: Account.self)
    try await withThrowingTaskGroup { group in
      for task in 0..<6 {
        let first = base + task * 1_000
        let shape = Int.random(in: 0..<200, using: &random)
        group.addTask {
          try await db.insert(Samples.entries(from: first, count: 30))
          // The statement is a new one each time, so that the cache must drop others.
          let rows = try await db.rows(
            SQL(unsafe: "SELECT id, \(shape) AS shape FROM Entry WHERE id > \(first) LIMIT 5"))
          try require(rows.count == 5, "\(rows.count) rows")
          for try await entry in db.stream(Entry.order(by: \.$id)) where entry.id > 50 { break }
          _ = try await db.fetch(Entry.where { $0.$accountID == shape % 60 })
          _ = try? await db.execute("INSERT INTO Entry VALUES (1, 1, 1, x'')")
          try await db.run(Entry.delete().where { $0.$id >= first && $0.$id < first + 1_000 })
        }
      }
      try await group.waitForAll()
    }
    try await db.save(Account(id: 77_777, name: "seen", balance: 1, note: nil))
    for await element in changes where element.rows.contains(where: { $0.keyValues == [77_777] }) {
      break
    }
    try await observing.value
    try await db.run(Account.delete().where { $0.$id == 77_777 })
    try await db.backup(to: folder.file("copy.sqlite"), overwriting: true)
  }

  private static func measure(_ db: Database, _ path: String) throws -> Held {
    let size = try? FileManager.default.attributesOfItem(atPath: path + "-wal")[.size]
    var held = Held()
    held.descriptors =
      (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    held.sqliteBytes = Int(sqlite3_memory_used())
    held.residentBytes = residentBytes()
    held.logBytes = size as? Int ?? 0
    held.statements = try db.writeWithoutTransaction {
      try $0.count(of: .statementMemory)
    }
    return held
  }

  private static func residentBytes() -> Int {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else {
      return 0
    }
    let words = text.split(separator: " ")
    return words.count > 1 ? (Int(words[1]) ?? 0) * 4_096 : 0
  }

  /// Requires that the maximum of the second half is not above that of the first.
  private static func compare(
    _ all: [Held], _ later: [Held], _ configuration: Configuration, _ tally: inout Tally
  ) throws {
    let earlier = all.dropLast(later.count)
    func greatest(_ value: KeyPath<Held, Int>, _ name: String, room: Int) throws {
      let (before, after) = (
        earlier.map { $0[keyPath: value] }.max() ?? 0, later.map { $0[keyPath: value] }.max() ?? 0
      )
      tally.count("most \(name)", after)
      try require(after <= before + room, "\(name) grew from \(before) to \(after)")
    }
    try greatest(\.descriptors, "descriptors", room: 8)
    try greatest(\.sqliteBytes, "bytes of SQLite", room: 1 << 20)
    try greatest(\.residentBytes, "bytes of memory", room: 24 << 20)
    try greatest(\.statements, "bytes of statements", room: 1 << 17)
    try greatest(\.logBytes, "bytes of log", room: configuration.maximumWALBytes)
  }
}
