import ApusHistory
import ChangeObservation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

extension RestoredLogTests {
  @Test("a purge forgets the oldest epochs of other databases that the log no longer has")
  func purgedPeers() throws {
    let (a, b) = (try database(), try database())
    try insert("own", into: b)
    try insert("one", into: a)
    try send(from: a, to: b)
    let identity = try a.log.identity
    try b.execute(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10100)
      INSERT INTO apus_log_applied SELECT \(identity), i, 1 FROM n
      UNION ALL SELECT 'other', i, 1 FROM n WHERE i <= 5
      """)
    func counts() throws -> [Int] {
      try b.fetch(
        Int.self,
        """
        SELECT count(*) FROM apus_log_applied WHERE database = 'other'
        UNION ALL SELECT count(*) FROM apus_log_applied WHERE database = \(identity)
        UNION ALL SELECT min(epoch) FROM apus_log_applied WHERE database = \(identity)
        """)
    }
    #expect(try b.log.purge(keeping: .init(count: 1)) == 1)
    #expect(try counts() == [5, 10_001, 101])
    // The transaction that the log still has is not applied again.
    try b.write { try $0.setAppliedLogPosition(.start, of: identity) }
    #expect(try send(from: a, to: b) == 0)
    try insert("two", into: a)
    try send(from: a, to: b)
    try b.log.purge(keeping: .init(count: 0))
    #expect(try counts() == [5, 10_000, 101])
    #expect(try texts(b).sorted() == ["one", "own", "two"])
  }

  @Test("purging keeps the epoch in which the log begins")
  func purged() throws {
    let db = try database()
    let path = try #require(db.path)
    for text in ["one", "two", "three", "four"] {
      try insert(text, into: Database(path: path, models: [Note.self]))
    }
    let entries = try db.log.entries()
    #expect(Set(entries.map(\.position)).count == 4)
    try db.log.purge(keeping: .init(count: 1))
    #expect(try epochs(db).prefix(4) == [1, 2, 3, 4])
    #expect(try db.log.entries(after: entries[2].position).map(\.position) == [entries[3].position])
    #expect(throws: LogError.expired(position: 0, purged: entries[2].position)) {
      try db.log.entries()
    }
    // A position of another branch is not one of this log, even if it was purged up to there.
    let other = LogPosition("1f:3")
    try expectUnknown(#require(other), in: db) { _ = try db.log.entries(after: #require(other)) }
  }
}
