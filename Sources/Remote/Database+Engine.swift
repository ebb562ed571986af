import QueryDSL
import SQLCore
import SchemaMigration

extension Database {
  /// Opens a database that is not a file of this machine. An engine runs the SQL of the database
  /// elsewhere, for example in a cluster.
  ///
  /// Everything that is written in SQL works, except ATTACH, DETACH, results of more than 1,000
  /// columns, and what the engine itself refuses. Features that need the file or code in this
  /// process throw `DatabaseError` (`.misuse`), for example functions and collations in Swift,
  /// backups, incremental BLOBs, sessions, and snapshots that outlive a closure. Throws the error
  /// of the engine if no session can be opened.
  public convenience init(
    engine: any RemoteEngine, configuration: Configuration = Configuration()
  ) throws {
    try self.init(
      RemoteDatabase(name: engine.name) { RemoteLink($0, engine, $1) },
      configuration: configuration)
  }

  /// Opens a database whose SQL an engine runs elsewhere. This is the asynchronous form of
  /// `init(engine:configuration:)`. The engine connects on a separate thread.
  public static func open(
    engine: any RemoteEngine, configuration: Configuration = Configuration()
  ) async throws -> Database {
    try await WorkerThreads.run { cancellation in
      try cancellation.check()
      return try Database(engine: engine, configuration: configuration)
    }
  }

  /// Opens a database whose SQL an engine runs elsewhere, for example in a cluster, and migrates it
  /// to its models in the same way as a file.
  ///
  /// ```swift
  /// let db = try Database(engine: engine, models: [Author.self, Post.self])
  /// ```
  public convenience init(
    engine: any RemoteEngine, models: [any TableModel.Type],
    configuration: Configuration = Configuration(),
    migration options: MigrationOptions = MigrationOptions()
  ) throws {
    try self.init(engine: engine, configuration: configuration)
    try open(with: models, options)
  }

  /// Opens a database whose SQL an engine runs elsewhere, and migrates it to its models. This is
  /// the asynchronous form of `init(engine:models:configuration:migration:)`. The migration runs on
  /// a separate thread. If the task is cancelled, the migration ends without changes, and
  /// `CancellationError` is thrown.
  public static func open(
    engine: any RemoteEngine, models: [any TableModel.Type],
    configuration: Configuration = Configuration(),
    migration options: MigrationOptions = MigrationOptions()
  ) async throws -> Database {
    try await options.run { options in
      try Database(engine: engine, models: models, configuration: configuration, migration: options)
    }
  }
}
