import Apus
@_exported import ServiceLifecycle

/// A service that keeps a database open for the services that use it, and closes it after them.
///
/// ```swift
/// let group = ServiceGroup(
///   services: [DatabaseService(db), server],
///   gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
/// try await group.run()
/// ```
///
/// A group shuts its services down one after another, in reverse order. So if the database is
/// listed before the services that use it, it is closed after they have ended. No access is
/// interrupted, and the write-ahead log is copied into the file.
public struct DatabaseService: Service {
  /// The database that the service closes.
  public let database: Database
  private let patience: Duration
  /// The time that closing waits for running accesses to end after it has interrupted them.
  var interruptedPatience = Duration.seconds(5)
  private let background: [@Sendable () async throws -> Void]

  /// Makes a service for an open database.
  ///
  /// - Parameters:
  ///   - patience: The time that closing waits for accesses that still run. After this time, they
  ///     are interrupted and throw an error.
  ///   - background: Closures that run as long as the service and are cancelled before the database
  ///     closes, such as `metrics.run` or a loop over `db.changes()`. If one of them throws an
  ///     error, the service ends.
  public init(
    _ database: Database, patience: Duration = .seconds(10),
    background: (@Sendable () async throws -> Void)...
  ) {
    self.database = database
    self.patience = patience
    self.background = background
  }

  /// Waits for the graceful shutdown, and then closes the database. If the task is cancelled, or if
  /// a background closure throws an error, interrupts the running accesses, closes the database,
  /// and throws the error.
  ///
  /// Throws `.busy` if an access does not end although it was interrupted, or if a stream of rows
  /// still exists.
  public func run() async throws {
    do {
      try await waitForShutdown()
    } catch {
      // An error of closing is ignored, because the error that has ended the service is more
      // important.
      try? await close(within: .zero)
      throw error
    }
    try await close(within: patience)
  }

  private func waitForShutdown() async throws {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for work in background {
        group.addTask {
          try await work()
          return false
        }
      }
      group.addTask {
        try await gracefulShutdown()
        return true
      }
      while let isShutdown = try await group.next() {
        guard isShutdown else { continue }
        // This cancels the background closures. When this closure returns, the group waits until
        // they have ended.
        group.cancelAll()
        return
      }
    }
  }

  /// Closes the database as soon as nothing uses it. If accesses still run after `patience`,
  /// interrupts them.
  ///
  /// The work is done in a task of its own. The calling task may be cancelled, and a cancelled task
  /// cannot wait.
  private func close(within patience: Duration) async throws {
    let (database, interruptedPatience) = (database, interruptedPatience)
    try await Task {
      let clock = ContinuousClock()
      var end = clock.now.advanced(by: patience)
      var isInterrupted = false
      while true {
        do {
          return try await database.close()
        } catch let error as DatabaseError where error.code.primary == .busy {
          if clock.now >= end {
            guard !isInterrupted else { throw error }
            isInterrupted = true
            end = clock.now.advanced(by: interruptedPatience)
          }
          // The interruption is repeated, because a statement may have begun since the last one.
          if isInterrupted { database.interrupt() }
        }
        try await Task.sleep(for: .milliseconds(2))
      }
    }.value
  }
}
