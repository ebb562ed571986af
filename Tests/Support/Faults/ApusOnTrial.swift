import Apus

typealias OnTrial = ApusOnTrial

/// The library that `Scripts/faults` tries: Apus.
enum ApusOnTrial: Library {
  typealias Database = Apus.Database
  typealias Configuration = Apus.Configuration
  typealias Watcher = Faults.Watcher

  static let trials: [any Trial.Type] = [
    InputOutputFaults.self, PowerCuts.self, PowerCutsControl.self, MigrationFaults.self, Kills.self,
    OutOfMemory.self, CorruptFiles.self, Injection.self, Consistency.self, Soak.self,
    UniqueIDs.self, ForeignMigrations.self, Freshness.self, LogKills.self,
    LogPowerCuts.self,
  ]

  static let configuration = Configuration.ofTrials()
  /// Nothing: what Apus keeps in a file itself, it creates when it is needed.
  static let earlierProgram = ""

  static func isTyped(_ error: any Error) -> Bool {
    switch error {
    case is DatabaseError, is ColumnValueError, is RecordNotFound, is QueryError, is ModelError,
      is MigrationError, is DeadlineExceeded, is TooManyStreams, is SharedTransactionRolledBack:
      true
    default: false
    }
  }

  static func scenario() throws -> Scenario { try .everything() }

  static func close(_ database: Database) throws { try database.close() }

  static func reopen(_ path: String) throws {
    let db = try Database(path: path)
    try db.close()
  }

  static func runChild(_ what: String, path: String, number: Int) async throws {
    switch what {
    case "write": try await Child.write(path, number)
    case "freshness": try await FreshnessRun.child(path: path, number: number)
    case "log": try LoggedWork.child(path: path, number: number)
    case "transfer": try await ConsistencyRun.child(path: path, seed: number)
    default: throw Violation("there is no child process named \(what)")
    }
  }
}

extension Configuration {
  /// Returns a configuration with little memory and a small log, so that pages are written early
  /// and the log is restarted often.
  static func ofTrials(synchronous: Synchronous = .full) -> Configuration {
    var configuration = Configuration()
    configuration.synchronous = synchronous
    configuration.busyTimeout = .milliseconds(20)
    configuration.maximumWALBytes = 40_000
    configuration.maximumReaders = 2
    configuration.prepareConnection = { try $0.execute("PRAGMA cache_size = 10") }
    return configuration
  }
}
