import CFaults
import Foundation
import GRDB

extension GRDBOnTrial {
  static func makeOriginal(at path: String, logged: () throws -> Void) throws {
    // Automatic checkpoints are switched off, so that the commits stay in the write-ahead log.
    var configuration = GRDB.Configuration()
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 0") }
    let pool = try openWithModels(path, configuration)
    try pool.write { db in
      for entry in Samples.entries(from: 1_000, count: 150) { try entry.insert(db) }
    }
    _ = try pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
    try pool.write { db in
      try db.execute(sql: "UPDATE Account SET balance = balance + 1 WHERE id % 3 = 0")
    }
    try pool.write { db in
      for entry in Samples.entries(from: 3_000, count: 60) { try entry.insert(db) }
    }
    try logged()
    try pool.close()
  }

  static func open(_ path: String, limit: StepLimit) throws -> DatabasePool {
    try DatabasePool(path: path, configuration: bounded(limit))
  }

  /// Returns the SQL that a pool runs when it opens a file with an empty log. The pool creates a
  /// table and drops it again, because it needs a write-ahead log that is not empty.
  static func openingSQL(_ path: String) -> [String] {
    let size = try? FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
    guard size ?? 0 == 0 else { return [] }
    return [
      "SAVEPOINT grdb", "CREATE TABLE grdb_issue_102 (id INTEGER PRIMARY KEY)",
      "DROP TABLE grdb_issue_102", "RELEASE grdb",
    ]
  }

  static func openWithModels(_ path: String, limit: StepLimit) throws -> DatabasePool {
    try openWithModels(path, bounded(limit))
  }

  /// Returns a configuration that bounds the steps of a statement. GRDB has no API for SQLite's
  /// progress handler, so the handler is set on SQLite's connection, to which GRDB gives access.
  private static func bounded(_ limit: StepLimit) -> GRDB.Configuration {
    var configuration = GRDB.Configuration()
    configuration.busyMode = .timeout(0.02)
    configuration.prepareDatabase { db in
      // SQLite does not retain the limit. The closure of `prepareDatabase` does, and it lives as
      // long as the configuration of the connection.
      sqlite3_progress_handler(
        db.sqliteConnection, Int32(StepLimit.interval),
        { context in
          guard let context else { return 0 }
          let limit = Unmanaged<StepLimit>.fromOpaque(context).takeUnretainedValue()
          return (try? limit.take()) == nil ? 1 : 0
        }, Unmanaged.passUnretained(limit).toOpaque())
    }
    return configuration
  }

  static func rows(of query: String, in database: DatabasePool) throws -> [[PlainValue]] {
    try database.read { db in
      try Row.fetchAll(db, sql: query).map { $0.databaseValues.map { PlainValue($0) } }
    }
  }

  /// Returns closures that use a database in different ways. They do the same as the closures of
  /// the trial of Apus, in the same order.
  static func uses(in folder: Folder) -> [@Sendable (DatabasePool) async throws -> Void] {
    syncUses(in: folder).map { call in { @Sendable db in try call(db) } } + [
      { pool in
        try await pool.read { db in
          let entries = try Entry.order(Entry.Columns.amount).fetchCursor(db)
          while try entries.next() != nil {}
        }
      },
      { pool in
        _ = try await pool.read { try Account.filter(Account.Columns.balance > 10).fetchAll($0) }
      },
      { pool in
        let observation = ValueObservation.tracking { db in
          try Account.filter(Account.Columns.id < 30).order(Account.Columns.name).fetchAll(db)
        }
        for try await _ in observation.values(in: pool) { break }
      },
      { pool in _ = try await pool.write { try Account.deleteOne($0, key: 9) } },
      { pool in try await pool.vacuum() },
    ]
  }

  private static func syncUses(
    in folder: Folder
  ) -> [@Sendable (DatabasePool) throws -> Void] {
    [
      { _ = try $0.read { try Account.order(Account.Columns.name).fetchAll($0) } },
      { _ = try $0.read { try Entry.filter(Entry.Columns.amount > 50).fetchAll($0) } },
      { _ = try $0.read { try Account.fetchOne($0, key: 33) } },
      { _ = try $0.read { try Row.fetchAll($0, sql: "SELECT * FROM Account ORDER BY id") } },
      { _ = try $0.read { try migrator.hasCompletedMigrations($0) } },
      { pool in
        try pool.write { db in
          for entry in Samples.entries(from: 9_000, count: 20) { try entry.insert(db) }
        }
      },
      { pool in
        try pool.write { db in
          try Account(id: 12, name: "saved", balance: 1, note: nil).save(db)
        }
      },
      { _ = try $0.write { try Account.updateAll($0, Account.Columns.balance += 1) } },
      { _ = try $0.write { try Account.deleteOne($0, key: 8) } },
      { _ = try $0.writeWithoutTransaction { try $0.checkpoint(.truncate) } },
      { pool in
        let destination = try DatabaseQueue(path: folder.file("backup.sqlite"))
        try pool.backup(to: destination)
        try destination.close()
      },
    ]
  }
}

extension PlainValue {
  init(_ value: DatabaseValue) {
    switch value.storage {
    case .int64(let number): self = .integer(number)
    case .double(let number): self = .real(number.bitPattern)
    case .string(let text): self = .text(text)
    case .blob(let data): self = .bytes(Array(data))
    case .null: self = .null
    }
  }
}
