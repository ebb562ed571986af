import Foundation
import GRDB

/// The process that is killed: it migrates, writes from eight tasks, and observes.
enum Child {
  private struct Counter: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "Counter"
    var id: Int
    var number: Int
  }

  /// One of two records for the same table. The other one is `TextRecord`, which stores the size as
  /// a text. Each run rebuilds the table for the record that the previous run did not use.
  private struct NumberRecord: Codable, PersistableRecord {
    static let databaseTableName = "Record"
    var id, task, number, size: Int
  }

  private struct TextRecord: Codable, PersistableRecord {
    static let databaseTableName = "Record"
    var id, task, number: Int
    var size: String
  }

  static func write(_ path: String, _ number: Int) async throws {
    var configuration = GRDB.Configuration()
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA wal_autocheckpoint = 48")
    }
    let pool = try DatabasePool(path: path, configuration: configuration)
    try await pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    try migrator(upTo: number).migrate(pool)
    let isText = number % 2 != 0
    Task {
      for try await counters in ValueObservation.tracking({ try Counter.fetchAll($0) })
        .values(in: pool)
      {
        for counter in counters { ChildRun.say("saw \(counter.id) \(counter.number)") }
      }
    }
    try await withThrowingTaskGroup { group in
      for task in 0..<8 {
        group.addTask {
          var number = try await pool.read { try Counter.fetchOne($0, key: task) }?.number ?? 0
          while true {
            number += 1
            let next = number
            try await pool.write { db in
              try Counter(id: task, number: next).save(db)
              let id = task * 10_000_000 + next
              if isText {
                try TextRecord(id: id, task: task, number: next, size: "\(next)").insert(db)
              } else {
                try NumberRecord(id: id, task: task, number: next, size: next).insert(db)
              }
            }
            ChildRun.say("did \(task) \(next)")
          }
        }
      }
      try await group.waitForAll()
    }
  }

  /// Returns the migrations of one version of the program. Up to twenty processes use the same file
  /// one after another, and each of them is killed. Each process runs the next version of the
  /// program.
  private static func migrator(upTo number: Int) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("tables") { db in
      try db.create(table: "Counter") { table in
        table.primaryKey("id", .integer)
        table.column("number", .integer).notNull()
      }
      try createRecord(db, "Record", .integer)
    }
    for version in 1...20 where version <= number % 20 {
      migrator.registerMigration("version \(version)") { db in
        let type: GRDB.Database.ColumnType = version % 2 == 0 ? .integer : .text
        try createRecord(db, "Record_new", type)
        try db.execute(
          sql: """
            INSERT INTO Record_new SELECT id, task, number, CAST(size AS \(type.rawValue)) FROM Record
            """)
        try db.drop(table: "Record")
        try db.rename(table: "Record_new", to: "Record")
        if type == .text {
          try db.create(index: "Record_task", on: "Record", columns: ["task", "number"])
        }
      }
    }
    return migrator
  }

  private static func createRecord(
    _ db: GRDB.Database, _ name: String, _ type: GRDB.Database.ColumnType
  ) throws {
    try db.create(table: name) { table in
      table.primaryKey("id", .integer)
      table.column("task", .integer).notNull().references("Counter", onDelete: .cascade)
      table.column("number", .integer).notNull()
      table.column("size", type).notNull()
    }
  }
}
