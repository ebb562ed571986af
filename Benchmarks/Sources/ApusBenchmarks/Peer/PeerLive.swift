import GRDB

/// The SQL that changes the row with a given key, and the kind of result that GRDB fetches after
/// this change.
struct PeerChange: Sendable {
  enum Result: Sendable {
    case join, groups, count, included
  }

  let result: Result
  let sql: String

  init(_ result: Result, _ sql: String) {
    (self.result, self.sql) = (result, sql)
  }
}

/// A live result of the peer. Its query reads the tables of `LivePost`. The result is fetched again
/// after each commit, and the columns of its rows are read by index.
///
/// `@unchecked Sendable`: the workload uses it from one task at a time, and waits for it.
final class PeerLive: @unchecked Sendable {
  private let peer: Peer
  private let change: PeerChange
  private let nextCount: () async throws -> Int

  init(_ peer: Peer, _ change: PeerChange) {
    self.peer = peer
    self.change = change
    nextCount =
      switch change.result {
      case .join: Self.counts(in: peer, Self.join)
      case .groups: Self.counts(in: peer, Self.groups)
      case .count: Self.counts(in: peer, Self.count)
      case .included: Self.counts(in: peer, Self.included)
      }
  }

  func next() async throws -> Int { try await nextCount() }

  /// Changes one row, and waits for the result that contains the change. Returns the number of its
  /// rows.
  func change(_ key: Int64) async throws -> Int {
    try commitChange(of: key)
    return try await next()
  }

  /// Changes one row, on the calling thread.
  private func commitChange(of key: Int64) throws {
    try peer.pool.write { db in
      let statement = try db.cachedStatement(sql: change.sql)
      statement.setUncheckedArguments([key])
      try statement.execute()
    }
  }

  /// Returns a function that waits for the next result, and returns the number of its rows.
  private static func counts<Value: Sendable>(
    in peer: Peer, _ fetch: @escaping @Sendable (Database) throws -> [Value]
  ) -> () async throws -> Int {
    let values = Values(ValueObservation.tracking(fetch).values(in: peer.pool))
    return { try await values.next() }
  }

  private final class Values<Value: Sendable> {
    private var iterator: AsyncValueObservation<[Value]>.Iterator

    init(_ values: AsyncValueObservation<[Value]>) {
      iterator = values.makeAsyncIterator()
    }

    func next() async throws -> Int { try await iterator.next()?.count ?? 0 }
  }

  // MARK: Fetching

  @Sendable
  private static func join(_ db: Database) throws -> [(Int64, String, Int64, Int64)] {
    let rows = try Row.fetchCursor(
      db.cachedStatement(
        sql: """
          SELECT p.id, p.title, p.score, a.karma FROM LivePost p JOIN LiveAuthor a
            ON p.author = a.id ORDER BY p.id
          """))
    var joined: [(Int64, String, Int64, Int64)] = []
    while let row = try rows.next() { joined.append((row[0], row[1], row[2], row[3])) }
    return joined
  }

  @Sendable
  private static func groups(_ db: Database) throws -> [(Int64, Int)] {
    let rows = try Row.fetchCursor(
      db.cachedStatement(sql: "SELECT feed, count(*) FROM LivePost GROUP BY feed ORDER BY feed"))
    var groups: [(Int64, Int)] = []
    while let row = try rows.next() { groups.append((row[0], row[1])) }
    return groups
  }

  @Sendable
  private static func count(_ db: Database) throws -> [Int] {
    let statement = try db.cachedStatement(
      sql: "SELECT count(*) FROM LivePost WHERE flag = 1 AND score >= 0")
    return try Int.fetchAll(statement)
  }

  private struct Post {
    let id, author, feed, list, flag: Int64
    let title: String
    let score: Int64
  }

  @Sendable
  private static func included(_ db: Database) throws -> [(Int64, String, [Post])] {
    var posts: [Int64: [Post]] = [:]
    let children = try Row.fetchCursor(
      db.cachedStatement(
        sql: "SELECT id, author, feed, list, flag, title, score FROM LivePost ORDER BY id"))
    while let row = try children.next() {
      let post = Post(
        id: row[0], author: row[1], feed: row[2], list: row[3], flag: row[4], title: row[5],
        score: row[6])
      posts[post.list, default: []].append(post)
    }
    let parents = try Row.fetchCursor(
      db.cachedStatement(sql: "SELECT id, name FROM LiveList ORDER BY id"))
    var lists: [(Int64, String, [Post])] = []
    while let row = try parents.next() {
      let id: Int64 = row[0]
      lists.append((id, row[1], posts[id] ?? []))
    }
    return lists
  }
}
