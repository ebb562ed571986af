import Apus
import TestRun
import Testing

extension OwnStatementsTests {
  @Test("writes with a key, which are applied once")
  func keyedWrites() async {
    await #expect(processExitsWith: .success) {
      try OwnStatements.run { statements in
        let db = try Database(path: statements.path)
        try db.execute("CREATE TABLE note (text)")
        statements.forget()
        for isRepeated in [false, true] {
          let written = try db.write(id: "first") { tx in
            try tx.execute("INSERT INTO note VALUES ('a')")
            return 7
          }
          #expect(written.value == 7 && written.isRepeated == isRepeated)
        }
        try db.forgetWrites(olderThan: .seconds(-10))
        try statements.expect(
          "Writing", "Writing with a key", asked: ["INSERT INTO note VALUES ('a')"], count: 6)
      }
    }
  }

  @Test("ids that are stored in a file, and its next opening")
  func ids() async {
    await #expect(processExitsWith: .success) {
      try OwnStatements.run { statements in
        do {
          let db = try Database(path: statements.path)
          try db.execute("CREATE TABLE note (ref INTEGER)")
          statements.forget()
          try db.execute("INSERT INTO note VALUES (\(Unique64()))")
          try statements.expect("Writing", "Ids", asked: ["INSERT INTO note VALUES (?)"])
        }
        _ = try Database(path: statements.path)
        try statements.expect(
          "Opening", "Ids",
          asked: [#"SELECT max("last") FROM main."apus_unique64" WHERE "last" <= ?"#])
      }
    }
  }
}
