/// One kind of work, done once over the C API, once with Apus, and by the peer.
struct Workload: Sendable {
  /// As the table of targets names it: W1, W2.
  let name: String
  /// What is done, in a few words.
  let title: String
  /// How many operations a run does: what its time is divided by.
  let operations: Int
  /// What is wanted; nil for a row that only tells.
  var target: Target?
  /// Whether a run takes many seconds.
  var isLong = false
  /// Opens the files and makes the sides; the fixture lives as long as they do.
  let sides: @Sendable (Fixture) throws -> Sides

  /// The ways to do the work. Where one does not exist, neither does its figure.
  struct Sides {
    var c: Side?
    var apus: Side
    /// The peer in its fastest documented way.
    var grdb: Side?
    /// The peer with a record that is `Codable`.
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
    /// How many operations a run of this side does, where not as many as the workload says.
    var operations: Int?
    /// Makes ready for a run; its time is not measured.
    var prepare: () throws -> Void = {}
    /// The work. All sides that do as many operations must return the same number, made from what
    /// they read or wrote.
    let run: nonisolated(nonsending) () async throws -> Int
  }
}

enum SideName: String, CaseIterable {
  case c, apus, grdb, codable
}

extension Workload {
  static let all: [Workload] = [
    insertArray, insertEach, fetchAll, findByKey, typedQuery, preparedCall, updateColumn,
    observedUpdate, observedNeighbour, openWithModels, openTheFirstTime, findAsync, findSync,
    findFromMainActor, durableInserts, durableInsertsOfFew, liveQueryOf10_000, liveQueryOf100_000,
    liveQueryOf1_000_000, observersOf10, observersOf10_000, streamRows, readersAndWriter,
    joinedQuery, newIDs, newIDsOfTwo, upsertArray, bulkUpdate,
  ]
}
