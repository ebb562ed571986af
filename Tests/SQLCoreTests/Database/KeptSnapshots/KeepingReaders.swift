import TestRun

@testable import SQLCore

extension Configuration {
  /// A configuration whose readers keep their snapshots until something other than time ends them.
  static var keeping: Configuration {
    .with { configuration in
      configuration.keptSnapshotRound = .seconds(3_600)
      configuration.busyTimeout = .zero
    }
  }
}

extension Database {
  /// Whether an idle reader has kept a snapshot.
  var keepsSnapshot: Bool {
    access.pool.state.withLock { state in
      state[.reader].idle.contains { $0.state.pointee.kept.isKept }
    }
  }

  /// Whether the pool will look for snapshots that are not used any more.
  var looksForUnusedSnapshots: Bool {
    access.pool.state.withLock { $0.rounds.isScheduled }
  }

  /// Counts the items in a read of its own, as a query does.
  func countOnce() throws -> Int {
    try _readOnce("", 0) { try $0.value(Int.self, "SELECT count(*) FROM item") ?? -1 }
  }

  /// Reads until a reader keeps its snapshot.
  func keepSnapshot() throws {
    repeat { _ = try countOnce() } while !keepsSnapshot
  }
}

/// A connection that knows nothing of the pool, in place of another process.
struct Stranger {
  let connection: Connection

  init(_ folder: TemporaryFolder) throws {
    connection = try Connection(
      path: folder.file(), configuration: .with { $0.busyTimeout = .zero })
  }

  func insert() throws {
    try connection.execute("INSERT INTO item (name) VALUES ('stranger')")
  }

  /// Truncates the log at once. Returns false if a reader is in the way.
  func truncatesLog() throws -> Bool {
    try connection.row("PRAGMA wal_checkpoint(TRUNCATE)")?[0] == 0
  }
}
