/// One kind of work that is measured on several sides: through the C API, with Apus, and with the
/// peer, which is GRDB.
struct Workload: Sendable {
  /// The name in the table of targets: W1, W2.
  let name: String
  /// The work, in a few words.
  let title: String
  /// The number of operations of a run, by which its time is divided.
  let operations: Int
  /// The target; nil if the times are reported, but not compared with a target.
  var target: Target?
  /// Whether a run takes many seconds.
  var isLong = false
  /// Opens the files and creates the sides. The caller keeps the fixture alive while it uses the
  /// sides.
  let sides: @Sendable (Fixture) throws -> Sides

  /// The sides of a workload: the same work, done in different ways. A side that is nil is not
  /// measured.
  struct Sides {
    var c: Side?
    var apus: Side
    /// The peer, used in its fastest documented way.
    var grdb: Side?
    /// The peer, with a `Codable` record.
    var codable: Side?

    subscript(name: SideName) -> Side? {
      switch name {
      case .c: c
      case .apus: apus
      case .grdb: grdb
      case .codable: codable
      }
    }
  }

  /// One way to do the work.
  struct Side {
    /// The number of operations of a run of this side, if it differs from the workload's.
    var operations: Int?
    /// Prepares a run; its time is not measured.
    var prepare: () throws -> Void = {}
    /// Returns the number of commits that the last run made in the background; nil if the side
    /// makes none.
    var commits: (() -> Int)?
    /// Does the work. All sides with the same number of operations must return the same number,
    /// computed from what they read or wrote.
    let run: nonisolated(nonsending) () async throws -> Int
  }
}

enum SideName: String, CaseIterable {
  case c, apus, grdb, codable

  /// The name in reports.
  var title: String {
    switch self {
    case .c: "C"
    case .apus: "Apus"
    case .grdb: "GRDB"
    case .codable: "Codable"
    }
  }
}

extension Workload {
  static let all: [Workload] =
    [
      insertArray, insertEach, fetchAll, findByKey, typedQuery, preparedCall, updateColumn,
      observedUpdate, observedNeighbour, openWithModels, openTheFirstTime, findAsync, findSync,
      findFromMainActor, findCached, findFewCached, queryCached, durableInserts,
      durableInsertsOfFew,
      liveQueryOf10_000, liveQueryOf100_000,
      liveQueryOf1_000_000, observersOf10, observersOf100, observersOf1_000, observersOf10_000,
      streamRows, readersAndWriter,
      readersAndCommits, readersAlone, commitsBesideReader,
      joinedQuery, fullTextSearch, indexedInserts, newIDs, newIDsOfTwo, upsertArray, bulkUpdate,
      loggedWrites, undoneDeletions, undoneDeletionsOfLog,
    ] + fewReadersAlone + liveRelations
}
