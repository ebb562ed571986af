import GRDB

/// A live result of the peer, which fetches all rows again after each commit.
///
/// `@unchecked Sendable`: the workload uses it from one task at a time, and waits for it.
final class PeerObservation: @unchecked Sendable {
  private let peer: Peer
  private var iterator: AsyncValueObservation<[PlainItem]>.Iterator

  init(_ peer: Peer) {
    self.peer = peer
    let observation = ValueObservation.tracking {
      try PlainItem.order(Column("score")).fetchAll($0)
    }
    iterator = observation.values(in: peer.pool).makeAsyncIterator()
  }

  func count() async throws -> Int { try await iterator.next()?.count ?? 0 }

  /// Changes one row, and waits for the result that contains the change. Returns the number of its
  /// rows.
  func change(_ key: Int64) async throws -> Int {
    try commitChange(of: key)
    return try await count()
  }

  /// Changes one row, on the calling thread.
  private func commitChange(of key: Int64) throws {
    try peer.pool.write { db in
      let statement = try db.cachedStatement(
        sql: #"UPDATE "Item" SET "score" = "score" + 1 WHERE "id" = ?"#)
      statement.setUncheckedArguments([key])
      try statement.execute()
    }
  }
}
