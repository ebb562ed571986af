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
/// A group shuts its services down in the reverse of their order, one after another. A database
/// that is listed before its users therefore closes when they have ended: nothing is cut off, and
/// the write-ahead log is copied into the file.
public struct DatabaseService: Service {
  /// The database that the service closes.
  public let database: Database
  private let patience: Duration
  /// How long closing waits after it has interrupted what runs.
  var interruptedPatience = Duration.seconds(5)
  private let background: [@Sendable () async throws -> Void]

  /// Makes a service for an open database.
  ///
  /// - Parameters:
  ///   - patience: How long closing waits for accesses that still run. After that, they are
  ///     interrupted, and throw.
  ///   - background: Closures that run as long as the service and are cancelled before the database
  ///     closes, such as `metrics.run` or a loop over `db.changes()`. An error of one ends the
  ///     service.
  public init(
    _ database: Database, patience: Duration = .seconds(10),
    background: (@Sendable () async throws -> Void)...
  ) {
    self.database = database
    self.patience = patience
    self.background = background
  }

  /// Waits for the graceful shutdown, and closes the database. If the task is cancelled instead, or
  /// if a background closure throws, it interrupts what runs, closes, and throws.
  ///
  /// Throws `.busy` if an access does not end although it was interrupted, or a stream of rows is
  /// still held.
  public func run() async throws {
    do {
      try await waitForShutdown()
    } catch {
      // The error that ended the service is the one to report.
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
        // The other closures are cancelled, and waited for when this one returns.
        group.cancelAll()
        return
      }
    }
  }

  /// Closes the database once nothing uses it. After `patience`, interrupts what runs.
  ///
  /// It runs in a task of its own, since the calling task may be cancelled, and a cancelled task
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
          // A statement that begins later must not delay closing either.
          if isInterrupted { database.interrupt() }
        }
        try await Task.sleep(for: .milliseconds(2))
      }
    }.value
  }
}
