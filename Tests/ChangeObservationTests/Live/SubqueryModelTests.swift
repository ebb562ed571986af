import QueryDSL
import SQLCore
import TestRun
import Testing

@testable import ChangeObservation

@Suite("Maintained subqueries compared with fresh fetches")
struct SubqueryModelTests {
  @Test("after each transaction a query with subqueries equals a fresh fetch")
  func exact() async throws {
    try await compareDrawn(
      SubqueryDraws.all + SubqueryGroupDraws.all,
      rounds: TestSize.count(small: 6, full: 15, long: 1_500))
  }

  @Test("rows whose key is NULL are counted like others, also several of them")
  func nullKeys() async throws {
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    for round in 0..<TestSize.count(small: 4, full: 20, long: 500) {
      let db = try Database.temporary(configuration: .relaxed)
      try await db.execute(
        """
        CREATE TABLE JoinPost (id INTEGER PRIMARY KEY, author TEXT, parent INTEGER,
          title TEXT NOT NULL, stars INTEGER NOT NULL);
        CREATE TABLE JoinMark (post INTEGER, tag TEXT, weight INTEGER NOT NULL,
          PRIMARY KEY (post, tag));
        INSERT INTO JoinPost
          WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5)
          SELECT i, NULL, NULL, 't', i FROM n;
        """)
      let comparisons = Self.nullKeyed.map { $0(db) }
      for comparison in comparisons { try await comparison.check("seed \(seed), round \(round)") }
      for unit in 0..<30 {
        let (post, weight) = (
          Int.random(in: 1...6, using: &random), Int.random(in: 0...3, using: &random)
        )
        let statement =
          [
            "INSERT OR REPLACE INTO JoinMark VALUES (\(post), NULL, \(weight))",
            "INSERT OR REPLACE INTO JoinMark VALUES (NULL, 'a', \(weight))",
            "INSERT OR REPLACE INTO JoinMark VALUES (\(post), 'a', \(weight))",
            "DELETE FROM JoinMark WHERE rowid = (SELECT min(rowid) FROM JoinMark WHERE tag IS NULL)",
            "UPDATE JoinMark SET weight = weight + 1 WHERE weight = \(weight)",
            "UPDATE OR REPLACE JoinMark SET post = \(post) WHERE post IS NULL AND weight = \(weight)",
            "DELETE FROM JoinPost WHERE id = \(post)",
            "INSERT OR REPLACE INTO JoinPost VALUES (\(post), NULL, NULL, 't', \(weight))",
          ].randomElement(using: &random) ?? ""
        try await db.execute(SQL(unsafe: statement))
        for comparison in comparisons {
          try await comparison.check("seed \(seed), round \(round), unit \(unit): \(statement)")
        }
      }
    }
  }

  private static let nullKeyed: [@Sendable (Database) -> Comparison] = [
    { db in
      let query = Query { (post: Columns<JoinPost>, mark: Columns<JoinMark>) in
        From(post)
        Join(mark, on: mark.$post == post.$id)
        OrderBy(post.$id)
        OrderBy(mark.$weight)
        Select(post.$id, mark.$weight)
      }
      return Comparison("joined", query, sorted: query, in: db)
    },
    { db in
      let query = Query { (post: Columns<JoinPost>, mark: OptionalColumns<JoinMark>) in
        From(post)
        LeftJoin(mark, on: mark.$post == post.$id)
        OrderBy(post.$id)
        OrderBy(mark.$weight)
        Select(post.$id, mark.$weight)
      }
      return Comparison("left joined", query, sorted: query, in: db)
    },
    { db in
      let query = Query { (mark: Columns<JoinMark>, post: Columns<JoinPost>) in
        From(mark)
        Join(post, on: mark.$post == post.$id)
        Select(mark.count(), mark.$weight.sum(), post.$stars.sum())
      }
      return Comparison("in all", query, sorted: query, in: db)
    },
    { db in
      let query = JoinMark.where { mark in JoinPost.where { $0.$id == mark.$post }.exists() }
        .order(by: \.$weight).select(\.$weight)
      return Comparison("existing", query, sorted: query, in: db)
    },
  ]
}
