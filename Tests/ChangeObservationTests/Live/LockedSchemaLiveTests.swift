import QueryDSL
import SQLCore
import Testing

@testable import ChangeObservation

/// Single rows are evaluated in a database in memory, in which the policy does not apply.
@Suite("Live queries of a database with a locked schema", .needs(.preUpdateHook))
struct LockedSchemaLiveTests {
  private let file: TemporaryPath
  private let policies: [SchemaPolicy] = [.locked, .lockedTables(["JoinPost", "JoinWriter"])]

  init() async throws {
    file = try TemporaryPath()
    let db = try Database(path: file.path, configuration: .relaxed)
    try await db.execute(
      """
      \(unsafe: JoinTables.creation)
      CREATE INDEX authors ON JoinPost (author);
      INSERT INTO JoinWriter VALUES ('a', 1, 0), ('b', 2, 1);
      INSERT INTO JoinPost VALUES (1, 'a', NULL, 't', 0), (2, 'b', 1, 't', 1);
      """)
    try await db.close()
  }

  private func open(_ policy: SchemaPolicy) throws -> Database {
    var configuration = Configuration.relaxed
    configuration.schemaPolicy = policy
    return try Database(path: file.path, configuration: configuration)
  }

  @Test("rows and groups of one table are merged, and not fetched")
  func merged() async throws {
    for policy in policies {
      let db = try open(policy)
      let rows = QueryWatch(LiveSource(JoinPost.order(by: \.$id).select(\.$title)), in: db)
      let groups = QueryWatch(
        LiveSource(JoinPost.group(by: \.$author).select { $0.count() }), in: db)
      _ = try await rows.next()
      _ = try await groups.next()
      try await db.execute("UPDATE JoinPost SET title = 'u', author = 'b' WHERE id = 1")
      _ = (try await rows.update(), try await groups.update())
      let fetches = (rows.fetchCount, groups.fetchCount)
      for number in 0..<5 {
        try await db.execute(
          "UPDATE JoinPost SET title = \("v\(number)"), author = 'a' WHERE id = 1")
        _ = (try await rows.update(), try await groups.update())
      }
      #expect(rows.isMaintained && groups.isMaintained)
      #expect(rows.fetchCount == fetches.0, "\(policy)")
      #expect(groups.fetchCount == fetches.1, "\(policy)")
      try await db.close()
    }
  }

  @Test("totals of a join are given after commits, and no error is thrown")
  func totals() async throws {
    let query = Query { (post: Columns<JoinPost>, writer: Columns<JoinWriter>) in
      From(post)
      Join(writer, on: writer.$name == post.$author)
      Select(post.count())
    }
    let distinct = JoinPost.select { $0.$author.count(distinct: true) }
    for policy in policies {
      let db = try open(policy)
      let total = QueryWatch(LiveSource(query), in: db)
      let counted = QueryWatch(LiveSource(distinct), in: db)
      _ = try await total.next()
      _ = try await counted.next()
      #expect(total.isMaintained && counted.isMaintained)
      for id in 10..<14 {
        try await db.execute(
          "INSERT INTO JoinPost VALUES (\(id), \(id % 2 == 0 ? "a" : "new\(id)"), NULL, 't', 0)")
        _ = try await total.update()
        _ = try await counted.update()
        let found = total.rows.map { Array($0) }
        let expected = try await db.fetch(query)
        #expect(found == expected, "\(policy)")
        let found2 = counted.rows.map { Array($0) }
        let expected2 = try await db.fetch(distinct)
        #expect(found2 == expected2, "\(policy)")
      }
      try await db.execute("DELETE FROM JoinPost WHERE id >= 10")
      try await db.close()
    }
  }

  @Test("a filtered stream of changes is filtered")
  func filtered() async throws {
    let db = try open(.locked)
    var changes = db.changes(of: JoinPost.self, where: { $0.$stars > 5 }).makeAsyncIterator()
    try await db.execute("UPDATE JoinPost SET stars = id * 4 + 2")
    let element = try #require(await changes.next())
    #expect(element.isFiltered, "\(element.unfilteredReason ?? "")")
    #expect(element.rows.count == 2)
  }
}
