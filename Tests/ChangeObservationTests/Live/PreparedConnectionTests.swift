import QueryDSL
import SQLCore
import Testing

@testable import ChangeObservation

/// `prepareConnection` also runs on the connections in memory on which single rows are evaluated.
/// The tables of the file do not exist there.
@Suite("Live queries of connections that need a table", .needs(.preUpdateHook))
struct PreparedConnectionTests {
  @Test("totals are given although prepareConnection reads a table")
  func totals() async throws {
    let file = try TemporaryPath()
    let first = try Database(path: file.path, configuration: .relaxed)
    try await first.execute(
      """
      \(unsafe: JoinTables.creation)
      CREATE INDEX authors ON JoinPost (author);
      INSERT INTO JoinWriter VALUES ('a', 1, 0);
      INSERT INTO JoinPost VALUES (1, 'a', NULL, 't', 0);
      """)
    try await first.close()
    var configuration = Configuration.relaxed
    configuration.prepareConnection = { _ = try $0.row("SELECT count(*) FROM JoinTeam") }
    let db = try Database(path: file.path, configuration: configuration)
    let query = Query { (post: Columns<JoinPost>, writer: Columns<JoinWriter>) in
      From(post)
      Join(writer, on: writer.$name == post.$author)
      Select(post.count())
    }
    let distinct = JoinPost.select { $0.$author.count(distinct: true) }
    let total = QueryWatch(LiveSource(query), in: db)
    let counted = QueryWatch(LiveSource(distinct), in: db)
    _ = try await total.next()
    _ = try await counted.next()
    for id in 2..<6 {
      try await db.execute("INSERT INTO JoinPost VALUES (\(id), 'a', NULL, 't', 0)")
      try await db.execute("INSERT INTO JoinPost VALUES (\(id + 10), \("n\(id)"), NULL, 't', 0)")
      _ = try await total.update()
      _ = try await counted.update()
      let found = total.rows.map { Array($0) }
      let expected = try await db.fetch(query)
      #expect(found == expected)
      let found2 = counted.rows.map { Array($0) }
      let expected2 = try await db.fetch(distinct)
      #expect(found2 == expected2)
    }
  }
}
