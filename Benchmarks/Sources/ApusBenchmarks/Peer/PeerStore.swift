import GRDB

/// The peer as a store of `ManyObservers`. Each observer is a `ValueObservation` that fetches the
/// rows of the SQL that Apus runs.
struct PeerStore: ManyObservers.Store {
  private let pool: DatabasePool

  init(_ peer: Peer) { pool = peer.pool }

  var name: String { "GRDB" }

  func change(_ sql: String) async throws { try await pool.write { try $0.execute(sql: sql) } }

  func readPage(_ feed: Int64) async throws {
    _ = try await pool.read { db in
      let rows = try Row.fetchCursor(
        db.cachedStatement(
          sql: "SELECT id, feed, title FROM FeedEntry WHERE feed = ? ORDER BY id LIMIT 20"),
        arguments: [feed])
      var page: [(Int64, Int64, String)] = []
      while let row = try rows.next() { page.append((row[0], row[1], row[2])) }
      return page
    }
  }

  func observe(_ kind: ManyObservers.Kind, _ user: Int64) -> any ManyObservers.Followed {
    Observation(pool: pool, sql: kind.sql, user: user)
  }

  private struct Observation: ManyObservers.Followed {
    let pool: DatabasePool
    let sql: String
    let user: Int64

    nonisolated(nonsending) func follow(_ arrived: @Sendable () -> Void) async throws {
      // Every parameter of the query is bound to the user, except the separator of `group_concat`.
      let observation = ValueObservation.tracking { [sql, user] db in
        let statement = try db.cachedStatement(sql: sql)
        let count = statement.sql.count { $0 == "?" }
        let values: [any DatabaseValueConvertible] =
          sql.contains("group_concat")
          ? [", ", user] : Array(repeating: user, count: count)
        let rows = try Row.fetchCursor(statement, arguments: StatementArguments(values))
        var fetched: [[DatabaseValue]] = []
        while let row = try rows.next() { fetched.append(Array(row.databaseValues)) }
        return fetched
      }
      for try await _ in observation.removeDuplicates().values(in: pool) { arrived() }
    }
  }
}
