import Apus

/// Workloads that change one row, commit, and wait until an observer has the new result of its
/// query: a join, groups, a count, or models with included rows.
///
/// As in the workloads of one table, the C side only commits, and the additional time of Apus is
/// the cost of observing. The peer fetches the whole result again.
extension Workload {
  static let liveRelations: [Workload] = [10_000, 100_000, 1_000_000].flatMap { rows in
    [join(of: rows), author(of: rows), groups(of: rows), count(of: rows), included(of: rows)]
  }

  private static let joined = Query { (post: Columns<LivePost>, author: Columns<LiveAuthor>) in
    From(post)
    Join(author, on: post.$author == author.$id)
    Select(post.$id, post.$title, post.$score, author.$karma)
  }

  private static func join(of rows: Int) -> Workload {
    live(
      "W10j", "one post changes; a join of \(rows) posts with their authors has the result",
      of: rows, target: .grdb(500), PeerChange(.join, LivePost.countUp),
      { database, key in
        try database.run(LivePost.update { $0.$score += 1 }.where { $0.$id == key })
      }
    ) { results($0.observe(joined)) }
  }

  private static func author(of rows: Int) -> Workload {
    live(
      "W10a2", "an author of ten posts changes; a join of \(rows) posts has the result",
      of: rows, keys: rows / 10, target: .grdb(500),
      PeerChange(.join, #"UPDATE "LiveAuthor" SET "karma" = "karma" + 1 WHERE "id" = ?"#),
      { database, key in
        try database.run(LiveAuthor.update { $0.$karma += 1 }.where { $0.$id == key })
      }
    ) { results($0.observe(joined)) }
  }

  private static func groups(of rows: Int) -> Workload {
    live(
      "W10g", "one post moves; the counts of 100 groups of \(rows) posts are there",
      of: rows, target: .grdb(150),
      PeerChange(.groups, #"UPDATE "LivePost" SET "feed" = 99 - "feed" WHERE "id" = ?"#),
      { database, key in
        try database.run(
          LivePost.update { $0.$feed = 99 - $0.$feed }.where { $0.$id == key })
      }
    ) { results($0.observe(LivePost.group(by: \.$feed).select { ($0.$feed, $0.count()) })) }
  }

  private static func count(of rows: Int) -> Workload {
    live(
      "W10c2", "one post changes; the count of those of \(rows) that a predicate selects is there",
      of: rows, target: .above(150_000),
      PeerChange(.count, #"UPDATE "LivePost" SET "flag" = 1 - "flag" WHERE "id" = ?"#),
      { database, key in
        try database.run(LivePost.update { $0.$flag = 1 - $0.$flag }.where { $0.$id == key })
      }
    ) { database in
      results(
        database.observe(
          LivePost.where { $0.$flag == 1 && $0.$score >= 0 }.select { $0.count() }))
    }
  }

  private static func included(of rows: Int) -> Workload {
    live(
      "W10i", "one post changes; \(rows / 100) lists with 100 posts each have the result",
      of: rows, target: .above(150_000), PeerChange(.included, LivePost.countUp),
      { database, key in
        try database.run(LivePost.update { $0.$score += 1 }.where { $0.$id == key })
      }
    ) { results($0.observe(LiveList.all.including(LivePost.all, by: \.$list))) }
  }

  /// Returns a function that waits for the next result, reads one of its changed rows, and returns
  /// the number of rows.
  private static func results<Row>(
    _ observation: QueryObservation<Row>
  ) -> @Sendable () async throws -> Int {
    let observer = Observer(observation.makeAsyncIterator())
    return { try await observer.next() }
  }

  /// - Parameters:
  ///   - keys: the greatest key of the rows to change; nil for `rows`. The least key is 1.
  ///   - change: the SQL by which the C side and the peer change a row, and the kind of result that
  ///     the peer then fetches.
  private static func live(
    _ name: String, _ title: String, of rows: Int, keys: Int? = nil, target: Target,
    _ change: PeerChange, _ commit: @escaping @Sendable (Database, Int64) throws -> Void,
    _ observe: @escaping @Sendable (Database) -> @Sendable () async throws -> Int
  ) -> Workload {
    // The peer is measured only with 100,000 rows.
    let isMiddle = rows == 100_000
    return Workload(
      name: "\(name)-\(rows)", title: title, operations: 500,
      target: isMiddle ? target : .above(150_000), isLong: !isMiddle
    ) { fixture in
      let (database, connection, peer) = (fixture.database, fixture.connection, fixture.peer)
      let schema = LivePost.schema(rows: rows)
      try database.execute(SQL(unsafe: schema))
      try connection.execute(schema)
      let keys = scatteredKeys(500, of: keys ?? rows)
      let next = observe(database)
      _ = try wait { try await next() }
      // After the first commit, the query runs again instead of being maintained, because its first
      // result may already contain this commit. So this commit is not measured.
      try commit(database, 1)
      _ = try wait { try await next() }
      var grdb: Side?
      if isMiddle {
        try peer.execute(schema)
        let observation = PeerLive(peer, change)
        _ = try wait { try await observation.next() }
        grdb = .task(operations: 3) {
          var counted = 0
          for key in keys.prefix(3) { counted += try await observation.change(key) }
          return counted
        }
      }
      return Sides(
        c: Side {
          try connection.withStatement(change.sql) { statement in
            for key in keys { try run(statement, with: key) }
          }
          return keys.count
        },
        apus: .task {
          var results = 0
          for key in keys {
            try commit(database, key)
            if try await next() > 0 { results += 1 }
          }
          return results
        },
        grdb: grdb)
    }
  }
}

/// An observer of a query.
///
/// `@unchecked Sendable`: the workload uses it from one task at a time, and waits for it.
final class Observer<Row: Sendable>: @unchecked Sendable {
  private var iterator: QueryObservation<Row>.Iterator

  init(_ iterator: QueryObservation<Row>.Iterator) {
    self.iterator = iterator
  }

  /// Waits for the next result, reads one of its changed rows, and returns the number of rows.
  func next() async throws -> Int {
    guard let results = try await iterator.next() else { return 0 }
    let difference = results.difference
    if let index = difference.updated.first ?? difference.moved.first?.destination {
      _ = results[index]
    }
    return results.count
  }
}
