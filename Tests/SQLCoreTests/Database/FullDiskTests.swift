import Foundation
import SQLCore
import Testing

@Suite("A full disk")
struct FullDiskTests {
  private let db: Database

  init() throws {
    db = try Database.temporary(
      configuration: .with {
        $0.prepareConnection = { try $0.execute("PRAGMA max_page_count = 50") }
      })
    try db.execute(
      "CREATE TABLE note (id INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT")
  }

  private func insert(_ bytes: Int) throws {
    try db.write { try $0.execute("INSERT INTO note (data) VALUES (\(Data(count: bytes)))") }
  }

  @Test(
    "a write without room throws `full` and loses nothing acknowledged, and reading goes on")
  func full() throws {
    var acknowledged = 0
    let error = #expect(throws: DatabaseError.self) {
      while acknowledged < 1_000 {
        try insert(10_000)
        acknowledged += 1
      }
    }
    #expect(error?.code.primary == .full)
    #expect(error?.sql == "INSERT INTO note (data) VALUES (?)")
    #expect(acknowledged > 5)
    let count = try db.row("SELECT count(*) FROM note WHERE length(data) = 10000")
    #expect(try count?.get(Int.self, at: 0) == acknowledged)
    #expect(try db.row("PRAGMA integrity_check")?[0] == "ok")
  }

  @Test("a transaction that fills the disk is undone as a whole, and a deletion makes room again")
  func transaction() throws {
    for _ in 0..<5 { try insert(10_000) }
    let error = #expect(throws: DatabaseError.self) {
      try db.write { connection in
        for _ in 0..<100 {
          try connection.execute("INSERT INTO note (data) VALUES (\(Data(count: 10_000)))")
        }
      }
    }
    #expect(error?.code.primary == .full)
    #expect(try db.row("SELECT count(*) FROM note")?[0] == 5)
    try db.execute("DELETE FROM note WHERE id > 1")
    for _ in 0..<5 { try insert(10_000) }
    #expect(try db.row("SELECT count(*) FROM note")?[0] == 6)
  }

  @Test("a write that catches `full` either commits, or throws abort and stores nothing")
  func caught() throws {
    let outcome = Result {
      try db.write { connection in
        try connection.execute("INSERT INTO note (data) VALUES (x'01')")
        for _ in 0..<100 {
          try? connection.execute("INSERT INTO note (data) VALUES (\(Data(count: 10_000)))")
        }
      }
    }
    // SQLite undoes either the statement or the whole transaction. In the second case the write
    // throws.
    let count = try db.row("SELECT count(*) FROM note")?.get(Int.self, at: 0) ?? 0
    switch outcome {
    case .success: #expect(count > 1)
    case .failure(let error):
      #expect((error as? DatabaseError)?.code == .abort)
      #expect(count == 0)
    }
    try insert(1)
  }
}
