import ApusHistory
import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@testable import QueryFixtures

@Suite("Random exchanges between databases of different versions, with restores")
struct RandomVersionsTests {
  /// An error that a test plants, to show that it is found.
  enum Planted: CaseIterable {
    /// The log lacks a change, as it did when it believed the order of triggers.
    case trigger
    /// A change that waits is dropped.
    case waiting
    /// A restored database gives the same position to another transaction.
    case number
  }

  @Test("databases end equal, and each log leads to its tables")
  func convergence() throws {
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    for history in 0..<TestSize.count(small: 4, full: 25, long: 500) {
      var devices = try Devices(&random)
      try devices.run(&random)
      if let difference = try devices.difference() {
        Issue.record("seed \(seed), history \(history): \(difference)")
        return
      }
    }
  }

  @Test("an error in one database is found", arguments: Planted.allCases)
  func planted(_ error: Planted) throws {
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    for _ in 0..<60 {
      var devices = try Devices(&random)
      devices.planted = error
      try devices.run(&random)
      if try devices.difference() != nil { return }
    }
    Issue.record("seed \(seed): \(error) was not found")
  }
}

/// Databases that exchange their transactions while their programs are updated.
private struct Devices {
  struct Device {
    var db: Database
    let path: String
    var version: Int
    /// A program that knows no models, and has triggers of its own.
    var stranger: Database?
    var backup: URL?
  }

  private let folder: Folder
  private var devices: [Device] = []
  private var next = 0
  private var hasRestored = false
  /// The error that is still to be made.
  var planted: RandomVersionsTests.Planted?

  private final class Folder {
    let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

    init() throws {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
  }

  init(_ random: inout SeededGenerator) throws {
    folder = try Folder()
    for index in 0..<Int.random(in: 2...4, using: &random) {
      let path = folder.url.appending(path: "\(index).sqlite").path
      let version = Int.random(in: 0...2, using: &random)
      let db = try Database(path: path, models: Versions.models[version])
      devices.append(Device(db: db, path: path, version: version))
      if Bool.random(using: &random) { try addTriggers(to: db, version) }
    }
  }

  /// Adds triggers of the user, by raw SQL, after those of the log.
  private func addTriggers(to db: Database, _ version: Int) throws {
    let title = version == 2 ? "label" : "title"
    try db.execute(
      """
      CREATE TRIGGER raw_insert AFTER INSERT ON Job WHEN new.id % 3 = 0 BEGIN
        UPDATE Job SET \(unsafe: title) = \(unsafe: title) || '+' WHERE id = new.id; END
      """)
    try db.execute(
      """
      CREATE TRIGGER raw_update AFTER UPDATE OF \(unsafe: title) ON Job BEGIN
        UPDATE Part SET note = new.\(unsafe: title) WHERE job = new.id AND id % 2 = 0; END
      """)
    try db.execute(
      """
      CREATE TRIGGER raw_part AFTER UPDATE OF note ON Part WHEN length(new.note) > 2 BEGIN
        UPDATE Part SET note = substr(note, 1, 2) WHERE id = new.id;
        DELETE FROM Part WHERE id = new.id - 7; END
      """)
  }

  // MARK: Running

  mutating func run(_ random: inout SeededGenerator) throws {
    for _ in 0..<Int.random(in: 40...100, using: &random) {
      let index = Int.random(in: 0..<devices.count, using: &random)
      switch Int.random(in: 0..<40, using: &random) {
      case 0: try update(index)
      case 1: try backUp(index)
      case 2: try restore(index, &random)
      case 3..<14:
        let target = Int.random(in: 0..<devices.count, using: &random)
        guard target != index else { continue }
        _ = try send(
          from: index, to: target, relaying: Bool.random(using: &random),
          limit: Int.random(in: 1...9, using: &random))
      default: try write(index, &random)
      }
      try plant(index)
    }
    if planted == .number { try loseSentTransactions(&random) }
    for index in devices.indices {
      while devices[index].version < 2 { try update(index) }
    }
    try exchangeAll()
  }

  private mutating func reopen(_ index: Int) throws {
    try devices[index].db.close()
    try devices[index].stranger?.close()
    devices[index].stranger = nil
    devices[index].db = try Database(
      path: devices[index].path, models: Versions.models[devices[index].version])
  }

  private mutating func update(_ index: Int) throws {
    devices[index].version = min(devices[index].version + 1, 2)
    try reopen(index)
  }

  private mutating func backUp(_ index: Int) throws {
    let url = folder.url.appending(path: "\(index)-backup.sqlite")
    try devices[index].db.backup(to: url.path, overwriting: true)
    devices[index].backup = url
  }

  /// Restores the backup, into the open database or by a copy of the file.
  private mutating func restore(_ index: Int, _ random: inout SeededGenerator) throws {
    guard let backup = devices[index].backup else { return }
    hasRestored = true
    if Bool.random(using: &random) {
      let saved = try Database(path: backup.path)
      try saved.backup(to: devices[index].db)
      try saved.close()
    } else {
      try devices[index].db.close()
      try devices[index].stranger?.close()
      devices[index].stranger = nil
      let file = URL(filePath: devices[index].path)
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: file.path + suffix)
      }
      try FileManager.default.copyItem(at: backup, to: file)
    }
    // The backup may be of an older version.
    try reopen(index)
    guard planted == .number else { return }
    // The next transactions have the positions of those that were lost.
    for _ in 0..<2 { try write(index, &random) }
    try Database(path: devices[index].path).execute(
      """
      DELETE FROM apus_log_epoch WHERE first > 1 AND first = (SELECT max(first) FROM apus_log_epoch)
      """)
  }

  /// Restores a database whose last transactions another one has, so that the numbers of the next
  /// ones are taken.
  private mutating func loseSentTransactions(_ random: inout SeededGenerator) throws {
    try backUp(0)
    for _ in 0..<8 { try write(0, &random) }
    while try send(from: 0, to: 1, relaying: true, limit: 500) {}
    try restore(0, &random)
  }

  private mutating func plant(_ index: Int) throws {
    let stranger = try Database(path: devices[index].path)
    switch planted {
    case .trigger:
      let id = try stranger.fetch(
        Int64.self,
        "SELECT id FROM apus_log_change WHERE kind = 'update' ORDER BY id DESC LIMIT 1")
      guard let id = id.first else { return }
      try stranger.execute("DELETE FROM apus_log_change WHERE id = \(id)")
      planted = nil
    case .waiting:
      guard try stranger.read({ try $0.tableExists("apus_log_waiting") }) else { return }
      try stranger.execute("UPDATE apus_log_waiting SET isDone = 1")
    case .number, nil: return
    }
  }

  // MARK: Writing

  private mutating func write(_ index: Int, _ random: inout SeededGenerator) throws {
    var local = random
    var id = next
    let version = devices[index].version
    if Int.random(in: 0..<6, using: &local) == 0 {
      // Another program, with temporary triggers, which does not end its entry.
      let stranger = try devices[index].stranger ?? Database(path: devices[index].path)
      if devices[index].stranger == nil {
        try stranger.execute(
          """
          CREATE TEMP TRIGGER other AFTER INSERT ON main.Part BEGIN
            UPDATE Part SET note = coalesce(note, '') || 't' WHERE id = new.id; END
          """)
        devices[index].stranger = stranger
      }
      try stranger.write { try Self.write($0, version, &id, &local) }
    } else {
      try devices[index].db.write { try Self.write($0, version, &id, &local) }
    }
    next = id
    random = local
  }

  private static func write(
    _ tx: Connection, _ version: Int, _ next: inout Int, _ random: inout SeededGenerator
  ) throws {
    let title = version == 2 ? "label" : "title"
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      next += 1
      let jobs = try tx.fetch(Int.self, "SELECT id FROM Job ORDER BY id")
      let parts = try tx.fetch(Int.self, "SELECT id FROM Part ORDER BY id")
      let text = "v\(Int.random(in: 0...30, using: &random))"
      guard let job = jobs.randomElement(using: &random) else {
        try tx.execute("INSERT INTO Job (id, \(unsafe: title)) VALUES (\(next), \(text))")
        continue
      }
      let part = parts.randomElement(using: &random) ?? 0
      switch Int.random(in: 0..<14, using: &random) {
      case 0, 1: try tx.execute("INSERT INTO Job (id, \(unsafe: title)) VALUES (\(next), \(text))")
      case 2: try tx.execute("UPDATE Job SET \(unsafe: title) = \(text) WHERE id = \(job)")
      case 3, 4:
        try tx.execute("INSERT INTO Part (id, job, note) VALUES (\(next), \(job), \(text))")
      case 5: try tx.execute("UPDATE Part SET note = \(text) WHERE id = \(part)")
      case 6: try tx.execute("UPDATE Part SET job = \(job) WHERE id = \(part)")
      case 7: try tx.execute("UPDATE Part SET note = NULL WHERE job = \(job)")
      case 8: try tx.execute("DELETE FROM Part WHERE id = \(part)")
      case 9:
        try tx.execute("UPDATE Part SET note = CAST(x'ff41' AS TEXT) WHERE id = \(part)")
      case _ where version == 0: continue
      case 10: try tx.execute("UPDATE Job SET color = \(text) WHERE id = \(job)")
      case 11: try tx.execute("UPDATE Job SET size = size + 1, color = NULL WHERE id = \(job)")
      case 12:
        try tx.execute("INSERT INTO Tag (id, job, name) VALUES (\(next), \(job), \(text))")
      default:
        try tx.execute("UPDATE Tag SET name = \(text) WHERE job = \(job)")
        try tx.execute("DELETE FROM Tag WHERE id % 5 = 0 AND job = \(job)")
        guard version == 2 else { continue }
        try tx.execute("UPDATE Part SET weight = \(next) WHERE id = \(part)")
      }
    }
  }

  // MARK: Exchanging

  /// Sends a batch. Returns whether something has moved.
  private func send(from: Int, to: Int, relaying: Bool, limit: Int) throws -> Bool {
    let (source, target) = (devices[from].db, devices[to].db)
    let identity = try source.log.identity
    do {
      let position = try target.log.appliedPosition(of: identity, relaying: relaying)
      let batch = try source.log.batch(after: position, limit: limit, relaying: relaying)
      let data = try JSONEncoder().encode(batch)
      try target.log.apply(JSONDecoder().decode(LogBatch.self, from: data), resolving: .newer)
      return batch.end != position
    } catch LogError.unknownPosition {
      try target.write { try $0.setAppliedLogPosition(.start, of: identity) }
      return true
    }
  }

  private func exchangeAll() throws {
    var isMoving = true
    while isMoving {
      isMoving = false
      for from in devices.indices {
        for to in devices.indices where from != to {
          while try send(from: from, to: to, relaying: true, limit: 500) { isMoving = true }
        }
      }
    }
  }

  // MARK: Comparing

  private typealias Rows = [String: [String: String]]

  /// Returns what is wrong: databases with other rows, changes that wait, or a log that does not lead
  /// to the rows; nil if nothing is.
  func difference() throws -> String? {
    let expected = try rows(devices[0].db)
    for (index, device) in devices.enumerated() {
      let waiting = try device.db.log.status().waiting
      // If a parent was lost in every database that had it, its children wait.
      let isLost = hasRestored && waiting.reasons.keys.allSatisfy(\.isRow)
      guard waiting.count == 0 || isLost else { return "database \(index): \(waiting)" }
      let actual = try rows(device.db)
      if let text = Self.difference(actual, expected) {
        return "database \(index) of \(devices.count), and 0: \(text)"
      }
      if let text = try Self.difference(replay(device.db), actual) {
        return "database \(index), its log and its rows: \(text)"
      }
    }
    return nil
  }

  private static func difference(_ left: Rows, _ right: Rows) -> String? {
    let keys = Set(left.keys).union(right.keys).sorted().filter { left[$0] != right[$0] }
    guard !keys.isEmpty else { return nil }
    return keys.prefix(3).map {
      "\($0): \(left[$0]?.sorted { $0.key < $1.key }.description ?? "none") and "
        + (right[$0]?.sorted { $0.key < $1.key }.description ?? "none")
    }.joined(separator: "; ")
  }

  private func rows(_ db: Database) throws -> Rows {
    var rows: Rows = [:]
    for (table, columns) in Versions.columns {
      let values = columns.map { "typeof(\($0)) || ' ' || hex(CAST(\($0) AS BLOB))" }
        .map { "coalesce(\($0), 'null ')" }
      for row in try db.rows(
        "SELECT id, \(unsafe: values.joined(separator: ", ")) FROM \(identifier: table)")
      {
        var texts: [String: String] = [:]
        for (index, column) in columns.enumerated() { texts[column] = try row.get(at: index + 1) }
        rows["\(table) \(try row.get(Int.self, at: 0))"] = texts
      }
    }
    return rows
  }

  /// Returns the rows to which the log leads.
  private func replay(_ db: Database) throws -> Rows {
    var rows: Rows = [:]
    for change in try db.log.entries(limit: 100_000).flatMap(\.changes) {
      let key = "\(change.table) \(change.keyValues[0])"
      if change.kind == .deleted {
        rows[key] = nil
        continue
      }
      if change.kind == .inserted {
        rows[key] = [:]
        for column in Versions.columns[change.table] ?? [] {
          rows[key]?[column] = Versions.defaults[column] ?? "null "
        }
      }
      for column in change.changedColumns {
        let name = column == "title" ? "label" : column
        rows[key, default: [:]][name] = change.new(column).map(Self.text) ?? "nothing"
      }
    }
    return rows
  }

  private static func text(_ value: DatabaseValue) -> String {
    func hex(_ bytes: some Sequence<UInt8>) -> String {
      bytes.map { String(format: "%02X", $0) }.joined()
    }
    return switch value {
    case .null: "null "
    case .integer(let integer): "integer \(hex("\(integer)".utf8))"
    case .real(let real): "real \(hex("\(real)".utf8))"
    case .text(let text): "text \(hex(text.utf8))"
    case .invalidText(let bytes): "text \(hex(bytes))"
    case .blob(let data): "blob \(hex(data))"
    }
  }
}

extension LogWaiting.Reason {
  /// Whether a row is missing, and nothing of the schema.
  fileprivate var isRow: Bool {
    switch self {
    case .parent, .row: true
    case .table, .column: false
    }
  }
}
