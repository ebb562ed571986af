import Apus
import ApusCluster
import ApusRemote
import Testing

@Suite("Statements that would end a node, or damage its database")
struct RefusedStatementTests {
  /// Names may be quoted, and comments are everywhere. EXPLAIN compiles a PRAGMA, and so carries
  /// some of them out.
  private static let refused = [
    "VACUUM", "  vacuum main", "VACUUM INTO 'copy.sqlite'", "/* nightly */ VACUUM",
    "-- nightly\nVACUUM", "; VACUUM", "/**/;/**/VACUUM", "\u{FEFF}VACUUM", "EXPLAIN VACUUM",
    "PRAGMA wal_checkpoint", "-- c\nPRAGMA wal_checkpoint(TRUNCATE)",
    "PRAGMA WAL_Checkpoint = FULL", "PRAGMA main.wal_checkpoint",
    "PRAGMA/**/\"main\" . [wal_checkpoint](FULL)",
    "PRAGMA 'wal_checkpoint'", "PRAGMA journal_mode = DELETE", "PRAGMA main.`journal_mode`(off)",
    "/* c */ PRAGMA journal_mode = WAL", "EXPLAIN PRAGMA journal_mode = DELETE",
    "PRAGMA page_size = 8192", "EXPLAIN /* c */ QUERY PLAN PRAGMA main.page_size = 8192",
    "PRAGMA synchronous = FULL", "EXPLAIN PRAGMA synchronous(2)",
    "PRAGMA locking_mode = EXCLUSIVE",
  ]

  private static let harmless = [
    "PRAGMA journal_mode", "-- c\nPRAGMA main.synchronous", "SELECT * FROM pragma_journal_mode",
    "PRAGMA table_info(journal_mode)", "PRAGMA foreign_keys = ON", "-- VACUUM\nSELECT 1",
    "SELECT 'PRAGMA wal_checkpoint'", "EXPLAIN QUERY PLAN SELECT 1", "PRAGMA wal_autocheckpoint",
  ]

  private func withSession(_ body: (any RemoteSession, FakeNode) throws -> Void) throws {
    let node = try FakeNode(answer: [FakeNode.Message(words: [1, 0x78, .max])])
    defer { node.stop() }
    let session = try node.cluster.connect(isReader: false) { false }
    defer { session.close() }
    try body(session, node)
  }

  @Test("are refused in every form, before they are sent", arguments: refused)
  func refuses(_ sql: String) throws {
    try withSession { session, node in
      let statement = RemoteText(sql: sql)
      let run = #expect(throws: DatabaseError.self) { try session.run(statement) { false } }
      let rows = #expect(throws: DatabaseError.self) { try session.rows(of: statement) { false } }
      #expect(run?.code == .misuse && rows?.code == .misuse)
      #expect(node.statementCount == 0)
    }
  }

  @Test("harmless statements that look like them are sent", arguments: harmless)
  func sends(_ sql: String) throws {
    try withSession { session, node in
      let rows = try session.rows(of: RemoteText(sql: sql)) { false }
      let hasRow = try rows.next { false }
      #expect(!hasRow)
      #expect(node.statementCount == 1)
    }
  }

  @Test("are refused by a database, also after another statement of the same text")
  func database() throws {
    let db = try Database(engine: SharedNodes.get().cluster())
    for sql in ["/* nightly */ VACUUM", "-- c\nPRAGMA wal_checkpoint(TRUNCATE)"] {
      let error = #expect(throws: DatabaseError.self) {
        try db.writeWithoutTransaction {
          try $0.execute(SQL(unsafe: "CREATE TABLE IF NOT EXISTS t (x); \(sql)"))
        }
      }
      #expect(error?.code == .misuse)
    }
    // To ask for the mode is harmless, and the answer is that of the node.
    try db.writeWithoutTransaction { connection in
      for sql in ["PRAGMA journal_mode", "SELECT * FROM pragma_journal_mode"] {
        let row = try connection.row(SQL(unsafe: sql))
        #expect(row?.values == ["wal"])
      }
    }
    #expect(try db.rows("SELECT x FROM t").count == 0)
  }
}
