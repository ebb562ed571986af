import Synchronization

/// The place of a database that an engine keeps elsewhere.
package final class RemoteDatabase: Sendable {
  let engine: any RemoteEngine
  /// The number of the last change of the schema by this process. A connection whose copy of the
  /// schema is older reads it again.
  private let schemaNumber = Atomic<UInt64>(1)

  package init(_ engine: any RemoteEngine) {
    self.engine = engine
  }

  func refusal(of feature: String) -> DatabaseError {
    .misuse("\(feature) cannot be used with \(engine.name): it needs the file")
  }

  var latestSchema: UInt64 { schemaNumber.load(ordering: .acquiring) }

  func schemaDidChange() {
    schemaNumber.wrappingAdd(1, ordering: .releasing)
  }
}

extension RemoteDatabase: Hashable {
  package static func == (left: RemoteDatabase, right: RemoteDatabase) -> Bool { left === right }

  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Database {
  /// Opens a database that an engine keeps elsewhere, such as a cluster.
  ///
  /// Everything works that is written in SQL. What needs the file itself throws `.misuse`: functions
  /// and collations in Swift, backups, incremental BLOBs, sessions, snapshots that outlive a closure.
  /// Throws the engine's error if no session can be opened.
  public convenience init(
    engine: any RemoteEngine, configuration: Configuration = Configuration()
  ) throws {
    try self.init(location: .remote(RemoteDatabase(engine)), configuration: configuration)
  }

  /// Opens a database that an engine keeps elsewhere from asynchronous code: the engine connects on
  /// a thread of its own. See `init(engine:configuration:)`.
  public static func open(
    engine: any RemoteEngine, configuration: Configuration = Configuration()
  ) async throws -> Database {
    try await WorkerThreads.run { cancellation in
      try cancellation.check()
      return try Database(engine: engine, configuration: configuration)
    }
  }
}

extension Database {
  /// Whether an engine keeps the database elsewhere.
  package var isRemote: Bool { location.isRemote }

  /// Throws if the database is not in this process.
  package func requireLocal(_ feature: String) throws {
    if case .remote(let remote) = location { throw remote.refusal(of: feature) }
  }
}

extension ConnectionCore {
  /// Whether an engine keeps the database elsewhere.
  package var isRemote: Bool { state.pointee.remote != nil }

  /// Throws if the database is not in this process, for calls of SQLite that need its pages.
  package func requireLocal(_ feature: String) throws {
    guard let remote = state.pointee.remote else { return }
    throw remote.database.refusal(of: feature)
  }
}
