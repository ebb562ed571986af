import ApusRemote
import FileEngine
import Foundation
import SQLCore
import Testing

@Suite struct RemoteTests {
  private func withEngine(
    _ body: (Database, FileEngine) throws -> Void
  ) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "remote-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let engine = FileEngine(path: folder.appending(path: "db.sqlite").path())
    try body(try Database(engine: engine), engine)
  }

  @Test func statementsRunElsewhereAndTheirRowsAreDecodedHere() throws {
    try withEngine { db, engine in
      try db.execute("CREATE TABLE bird (id INTEGER PRIMARY KEY, name TEXT, grams REAL, data BLOB)")
      try db.write { tx in
        try tx.execute(
          "INSERT INTO bird (name, grams, data) VALUES (\("Swift"), \(44.9), \(Data([1, 0, 2])))")
        #expect(try tx.lastInsertRowID == 1)
        #expect(try tx.changeCount == 1)
        try tx.execute("INSERT INTO bird (name) VALUES ('Wren'), ('Owl')")
        #expect(try tx.changeCount == 2)
      }
      let rows = try db.fetch(
        (String, Double?, Data?).self, "SELECT name, grams, data FROM bird ORDER BY id")
      #expect(rows.map(\.0) == ["Swift", "Wren", "Owl"])
      #expect(rows[0].1 == 44.9 && rows[0].2 == Data([1, 0, 2]) && rows[1].1 == nil)
      let returned = try db.write {
        try $0.fetch(
          (Int, String).self, "INSERT INTO bird (name) VALUES ('Kite') RETURNING id, name")
      }
      #expect(returned.first?.0 == 4)
      // The file itself has the rows.
      let file = try Database(path: engine.path)
      #expect(try file.fetch(Int.self, "SELECT count(*) FROM bird") == [4])
    }
  }

  @Test func aTransactionThatThrowsIsRolledBackElsewhere() throws {
    struct Stop: Error {}
    try withEngine { db, _ in
      try db.execute("CREATE TABLE t (x UNIQUE)")
      #expect(throws: Stop.self) {
        try db.write { tx in
          try tx.execute("INSERT INTO t VALUES (1)")
          try tx.execute("CREATE TABLE other (x)")
          throw Stop()
        }
      }
      #expect(try db.fetch(Int.self, "SELECT count(*) FROM t") == [0])
      #expect(throws: DatabaseError.self) { try db.rows("SELECT * FROM other") }
      try db.write { tx in
        try tx.execute("INSERT INTO t VALUES (1)")
        try? tx.savepoint { tx in
          try tx.execute("INSERT INTO t VALUES (2)")
          throw Stop()
        }
        #expect(throws: DatabaseError.self) { try tx.execute("INSERT INTO t VALUES (1)") }
        try tx.execute("INSERT INTO t VALUES (3)")
      }
      #expect(try db.fetch(Int.self, "SELECT x FROM t ORDER BY x") == [1, 3])
    }
  }

  @Test func aViolatedConstraintIsNamed() throws {
    try withEngine { db, _ in
      try db.execute("CREATE TABLE t (x UNIQUE, y CHECK (y > 0))")
      try db.execute("INSERT INTO t VALUES (1, 1)")
      do {
        try db.execute("INSERT INTO t VALUES (1, 1)")
        Issue.record("it did not throw")
      } catch let error as DatabaseError {
        #expect(error.code.primary == .constraint)
        #expect(error.constraint?.columns == ["x"])
        #expect(error.sql == "INSERT INTO t VALUES (1, 1)")
      }
      do {
        try db.execute("INSERT INTO t VALUES (2, 0)")
        Issue.record("it did not throw")
      } catch let error as DatabaseError {
        #expect(error.constraint?.table == "t")
      }
    }
  }

  @Test func arraysAreSentAsJSON() throws {
    try withEngine { db, _ in
      try db.execute("CREATE TABLE t (x)")
      let values: [DatabaseValue] = [
        .integer(.max), .real(0.1), .real(.infinity), .text("a\"\\\n\u{1}é"),
        .blob(Data([0, 255])),
        .blob(Data()), .null, .real(2),
      ]
      for value in values {
        try db.execute(SQL(text: "INSERT INTO t VALUES (?)", bindings: [.value(value)]))
      }
      for value in values where value != .null {
        let rows = try db.rows(
          SQL(
            text: "SELECT x FROM t WHERE x IN (SELECT value FROM apus_array(?))",
            bindings: [.array(BoundArray([value]))]))
        #expect(rows.map { $0[0] } == [value], "\(value)")
      }
      // JSON has no text that is not UTF-8, and another text would be a wrong answer.
      #expect(throws: ColumnValueError.self) {
        try db.rows(
          SQL(
            text: "SELECT x FROM t WHERE x IN (SELECT value FROM apus_array(?))",
            bindings: [.array(BoundArray([.invalidText(Data([0xFF]))]))]))
      }
    }
  }

  @Test func textsAndNumbersInJSONAreReadByFunctionsOfSQLite() throws {
    try withEngine { db, _ in
      try db.execute("CREATE TABLE t (x)")
      try db.execute("INSERT INTO t VALUES (\(#"{"a":"b","c":["d","e"]}"#))")
      let values = try db.rows(
        """
        SELECT apus_json_value(apus_json(x) -> '$.a', 'String') AS a, "apus_json_each"."value",
          n."value", json_quote("apus_json_each"."key")
        FROM t JOIN "apus_json_each"(x -> '$.c', 'String')
          JOIN "apus_json_each"('[1]', 'Int') AS n
        """
      ).map { row in (0..<4).map { row[$0] } }
      #expect(values == [["b", "d", 1, "0"], ["b", "e", 1, "1"]])
      #expect(
        try db.fetch(
          String.self, "SELECT apus_json_group_object('k', json_quote(x -> '$.c')) FROM t")
          == [#"{"k":["d","e"]}"#])
      #expect(throws: DatabaseError.self) {
        try db.rows("SELECT apus_json_value('5', 'Date')")
      }
    }
  }

  @Test func foundWordsAreMarkedByFunctionsOfSQLite() throws {
    try withEngine { db, engine in
      try db.execute("CREATE VIRTUAL TABLE page USING fts5(text)")
      try db.execute("INSERT INTO page VALUES ('a swift, a bird')")
      let row = try db.row(
        """
        SELECT apus_highlight(page, 0, '[', ']'), apus_snippet(page, 0, '[', ']', '…', 2)
        FROM page('swift')
        """)
      #expect(row?.values == ["a [swift], a bird", "a [swift]…"])
      #expect(engine.sent.withLock { $0.contains { $0.contains("SELECT highlight(page") } })
    }
  }

  @Test func aMistakeThrowsBeforeAnythingIsSent() throws {
    try withEngine { db, engine in
      try db.execute("CREATE TABLE t (x)")
      engine.sent.withLock { $0 = [] }
      #expect(throws: DatabaseError.self) { try db.execute("INSERT INTO t (y) VALUES (1)") }
      #expect(engine.sent.withLock { $0.contains { $0.contains("INSERT") } } == false)
    }
  }

  @Test func whatNeedsTheFileIsRefused() throws {
    try withEngine { db, _ in
      try db.execute("CREATE TABLE t (x)")
      #expect(throws: DatabaseError.self) { try db.backup(to: "/tmp/copy.sqlite") }
      #expect(throws: DatabaseError.self) { try db.makeSnapshot() }
      #expect(throws: DatabaseError.self) { try db.checkpoint() }
      #expect(throws: DatabaseError.self) { try db.vacuum() }
      #expect(throws: DatabaseError.self) { try db.write { try $0.serialize() } }
      #expect(throws: DatabaseError.self) { try db.write { try $0.session() } }
      #expect(throws: DatabaseError.self) { try db.execute("ATTACH ':memory:' AS other") }
      #expect(throws: DatabaseError.self) {
        try db.register(Registration { try $0.function("double") { (x: Int) in x * 2 } })
      }
    }
  }

  @Test func aLostSessionRollsItsTransactionBack() throws {
    try withEngine { db, engine in
      try db.execute("CREATE TABLE t (x)")
      engine.fault.withLock { fault in
        fault = { sql in
          if sql.contains("VALUES (2)") {
            throw RemoteSessionError(outcome: .unknown, message: "the line was cut")
          }
        }
      }
      do {
        try db.write { tx in
          try tx.execute("INSERT INTO t VALUES (1)")
          try tx.execute("INSERT INTO t VALUES (2)")
        }
        Issue.record("it did not throw")
      } catch let error as RemoteSessionError {
        // Without a COMMIT, nothing can have been committed.
        #expect(error.outcome == .notRun)
      }
      #expect(throws: RemoteSessionError(outcome: .unknown, message: "the line was cut")) {
        try db.writeWithoutTransaction { try $0.execute("INSERT INTO t VALUES (2)") }
      }
      engine.fault.withLock { $0 = nil }
      #expect(try db.fetch(Int.self, "SELECT count(*) FROM t") == [0])
      try db.execute("INSERT INTO t VALUES (3)")
      #expect(try db.fetch(Int.self, "SELECT x FROM t") == [3])
    }
  }

  @Test func aSessionHasTheSettingsOfItsConnectionAlsoAfterALoss() throws {
    try withEngine { db, engine in
      try db.execute("CREATE TABLE parent (id INTEGER PRIMARY KEY); CREATE TABLE t (x)")
      var configuration = Configuration()
      configuration.enforcesForeignKeys = false
      let lax = try Database(engine: engine, configuration: configuration)
      try lax.execute("CREATE TABLE child (parent REFERENCES parent)")
      try lax.execute("INSERT INTO child VALUES (1)")
      engine.fault.withLock { fault in
        fault = { sql in
          if sql.hasPrefix("INSERT INTO t") {
            throw RemoteSessionError(outcome: .unknown, message: "the line was cut")
          }
        }
      }
      #expect(throws: RemoteSessionError.self) {
        try lax.writeWithoutTransaction { try $0.execute("INSERT INTO t VALUES (1)") }
      }
      engine.fault.withLock { $0 = nil }
      try lax.execute("INSERT INTO child VALUES (2)")
      #expect(throws: DatabaseError.self) { try db.execute("INSERT INTO child VALUES (3)") }
      #expect(try db.fetch(Int.self, "SELECT parent FROM child") == [1, 2])
    }
  }

  @Test func aLostCommitIsUnknown() throws {
    try withEngine { db, engine in
      try db.execute("CREATE TABLE t (x)")
      engine.fault.withLock { fault in
        fault = { sql in
          if sql == "COMMIT" {
            throw RemoteSessionError(outcome: .unknown, message: "the line was cut")
          }
        }
      }
      #expect(throws: RemoteSessionError(outcome: .unknown, message: "the line was cut")) {
        try db.execute("INSERT INTO t VALUES (1)")
      }
      engine.fault.withLock { $0 = nil }
      try db.execute("INSERT INTO t VALUES (2)")
    }
  }

  /// A node that does not answer may be busy with a query without an end, which would stop the next
  /// one as well.
  @Test func aStatementThatMayHaveNoEndIsNotSentAgainAfterItsNodeStoppedAnswering() throws {
    try withEngine { db, engine in
      try db.execute("CREATE TABLE t (x INTEGER PRIMARY KEY, y)")
      try db.execute("INSERT INTO t VALUES (1, 2), (3, 4)")
      /// Returns how often statements with a text are sent, if the first of them is not answered.
      func attempts(of text: String, _ body: () throws -> Void) rethrows -> Int {
        let attempts = Lock(0)
        engine.fault.withLock { fault in
          fault = { sql in
            guard sql.contains(text) else { return }
            let number = attempts.withLock { count in
              count += 1
              return count
            }
            if number == 1 {
              throw RemoteSessionError(outcome: .unknown, message: "no answer", allowsRetry: false)
            }
          }
        }
        defer { engine.fault.withLock { $0 = nil } }
        try body()
        return attempts.withLock { $0 }
      }
      let notSentAgain = RemoteSessionError(
        outcome: .notRun, message: "no answer", allowsRetry: false)
      for query: SQL in [
        "SELECT y FROM t ORDER BY y", "SELECT count(*) FROM t, t AS u",
        "WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n",
        "WITH n (i) AS (SELECT 1 UNION SELECT i + 1 FROM n) SELECT i FROM n WHERE i < 0",
      ] {
        let count = attempts(of: query.text) {
          #expect(throws: notSentAgain) { try db.rows(query) }
        }
        #expect(count == 1, "\(query.text)")
      }
      #expect(notSentAgain.description.contains("make sure that it ends"))
      // One row is found without a loop, and the library's own statements are known.
      var found: [Int] = []
      let reads = try attempts(of: "WHERE x = 3") {
        found = try db.fetch(Int.self, "SELECT y FROM t WHERE x = 3")
      }
      #expect(reads == 2 && found == [4])
      for text in ["BEGIN", "COMMIT", "INSERT INTO t"] {
        let writes = try attempts(of: text) {
          try db.write(id: WriteKey(text)) { try $0.execute("INSERT INTO t (y) VALUES (5)") }
        }
        #expect(writes == 2, "\(text)")
      }
      let updates = attempts(of: "UPDATE t") {
        #expect(throws: notSentAgain) {
          try db.write(id: "all") { try $0.execute("UPDATE t SET y = y + 1") }
        }
      }
      #expect(updates == 1)
      #expect(try db.fetch(Int.self, "SELECT y FROM t ORDER BY x") == [2, 4, 5, 5, 5])
    }
  }

  @Test func anotherProgramsSchemaIsSeen() throws {
    try withEngine { db, engine in
      try db.execute("CREATE TABLE t (x)")
      let other = try Database(path: engine.path)
      try other.execute("CREATE TABLE u (y); INSERT INTO u VALUES (7)")
      #expect(try db.fetch(Int.self, "SELECT y FROM u") == [7])
      try other.execute("ALTER TABLE u ADD COLUMN z DEFAULT 8")
      #expect(try db.fetch(Int.self, "SELECT z FROM u") == [8])
      // Also where the first statement that needs it is in a transaction, which is rolled back.
      try other.execute("CREATE TABLE v (x)")
      struct Stop: Error {}
      #expect(throws: Stop.self) {
        try db.write { tx in
          try tx.execute("INSERT INTO v VALUES (1)")
          throw Stop()
        }
      }
      try db.write { try $0.execute("INSERT INTO v VALUES (2)") }
      #expect(try db.fetch(Int.self, "SELECT x FROM v") == [2])
    }
  }
}
