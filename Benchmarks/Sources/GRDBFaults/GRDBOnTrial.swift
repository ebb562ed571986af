import GRDB

typealias OnTrial = GRDBOnTrial

/// The library that `Scripts/faults beside-grdb` tests for comparison with Apus: GRDB, with a
/// `DatabasePool` that is used as GRDB's documentation recommends.
enum GRDBOnTrial: Library {
  typealias Database = DatabasePool
  typealias Configuration = GRDB.Configuration
  typealias Watcher = GRDBFaults.Watcher

  static let trials: [any Trial.Type] = [
    InputOutputFaults.self, Kills.self, CorruptFiles.self,
  ]

  /// The equivalent of the configuration for Apus: two readers, little memory, a busy timeout of 20
  /// ms, and a write-ahead log that is restarted when it has 40 kB. `openWithModels` adds
  /// `synchronous=FULL`, because a pool sets this to NORMAL when it opens a file.
  static let configuration: GRDB.Configuration = {
    var configuration = GRDB.Configuration()
    configuration.maximumReaderCount = 2
    configuration.busyMode = .timeout(0.02)
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA cache_size = 10; PRAGMA wal_autocheckpoint = 39")
    }
    return configuration
  }()

  /// The SQL which records that the earlier program has made the migration `tables`. GRDB's
  /// migrator records migrations in the same way.
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

  /// Opens a pool, and migrates its file. The migration changes the tables of the older program
  /// into the tables that the records need.
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
    // This migration makes, in one transaction, the changes that Apus makes automatically when it
    // opens the file with its models.
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
