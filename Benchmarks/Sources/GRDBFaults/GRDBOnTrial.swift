import GRDB

typealias OnTrial = GRDBOnTrial

/// The library that `Scripts/faults beside-grdb` tries for comparison with Apus: a `DatabasePool`,
/// used as GRDB's documentation recommends.
enum GRDBOnTrial: Library {
  typealias Database = DatabasePool
  typealias Configuration = GRDB.Configuration
  typealias Watcher = GRDBFaults.Watcher

  static let trials: [any Trial.Type] = [
    InputOutputFaults.self, Kills.self, CorruptFiles.self,
  ]

  /// The equivalent of the configuration for Apus: two readers, little memory, a busy timeout of 20
  /// ms, and a log that is restarted at 40 kB. `open` adds `synchronous=FULL`, since a pool sets it
  /// to NORMAL.
  static let configuration: GRDB.Configuration = {
    var configuration = GRDB.Configuration()
    configuration.maximumReaderCount = 2
    configuration.busyMode = .timeout(0.02)
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA cache_size = 10; PRAGMA wal_autocheckpoint = 39")
    }
    return configuration
  }()

  /// The SQL that records the migration `tables` of the earlier program as GRDB's migrator does.
  static let earlierProgram = """
    CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
    INSERT INTO grdb_migrations VALUES ('tables');
    """

  static func isTyped(_ error: any Error) -> Bool {
    switch error {
    case is DatabaseError, is RecordError, is RowDecodingError, is DecodingError,
      is CancellationError:
      true
    default: false
    }
  }

  /// Opens a pool and migrates it: the tables of the older program become those of the records.
  static func openWithModels(
    _ path: String, _ configuration: GRDB.Configuration
  ) throws -> DatabasePool {
    let pool = try DatabasePool(path: path, configuration: configuration)
    try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    try migrator.migrate(pool)
    return pool
  }

  static let migrator: DatabaseMigrator = {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("tables") { db in
      throw DatabaseError(message: "the older program made its tables")
    }
    // The changes that Apus makes by itself when it opens the file with its models, in one
    // transaction.
    migrator.registerMigration("numbers, notes and indexes") { db in
      try db.create(table: "Account_new") { table in
        table.primaryKey("id", .integer)
        table.column("name", .text).notNull()
        table.column("balance", .integer).notNull()
        table.column("note", .text)
      }
      try db.execute(
        sql: """
          INSERT INTO Account_new (id, name, balance)
          SELECT id, name, CAST(balance AS INTEGER) FROM Account
          """)
      try db.drop(table: "Account")
      try db.rename(table: "Account_new", to: "Account")
      try db.create(index: "Account_name", on: "Account", columns: ["name"])
      try db.create(index: "Entry_accountID", on: "Entry", columns: ["accountID"])
    }
    return migrator
  }()

  static func close(_ database: DatabasePool) throws { try database.close() }

  static func reopen(_ path: String) throws {
    try DatabasePool(path: path).close()
  }

  static func runChild(_ what: String, path: String, number: Int) async throws {
    guard what == "write" else { throw Violation("there is no child process named \(what)") }
    try await Child.write(path, number)
  }
}
