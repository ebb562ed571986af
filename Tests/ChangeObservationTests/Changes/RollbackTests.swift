import ChangeObservation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@Suite("Changes that were undone", .needs(.preUpdateHook))
struct RollbackTests {
  let db: Database

  init() throws {
    db = try Database.temporary(models: [Note.self])
    try db.insert([Note(title: "one"), Note(title: "two"), Note(title: "three")])
    try db.execute("CREATE UNIQUE INDEX titles ON Note (title)")
    try db.execute("CREATE TABLE log (id INTEGER PRIMARY KEY, text TEXT)")
  }

  struct Abandoned: Error {}

  func events(of writes: @escaping @Sendable (Connection) throws -> Void) async throws -> [[String]]
  {
    let stream = db.changes(of: Note.self, columns: \.$title)
    try await db.writeWithoutTransaction { try writes($0) }
    try await db.execute("INSERT INTO Note (id, title, stars) VALUES (999, 'end', 0)")
    let events = await stream.collect { $0.inserted.contains { $0.keyValues == [999] } }
    var all = words(events)
    all[all.count - 1].removeAll { $0.hasPrefix("inserted 999") }
    return all.filter { !$0.isEmpty }
  }

  @Test("a transaction that throws or requests a rollback reports no changes")
  func transactions() async throws {
    let events = try await events { connection in
      #expect(throws: Abandoned.self) {
        try connection.transaction { tx in
          try tx.execute("UPDATE Note SET title = 'x' WHERE id = 1")
          throw Abandoned()
        }
      }
      try connection.transaction { tx in
        try tx.execute("DELETE FROM Note")
        try tx.requestRollback()
      }
      try connection.execute("BEGIN")
      try connection.execute("DELETE FROM Note")
      try connection.execute("ROLLBACK")
    }
    #expect(events == [])
  }

  @Test("savepoints that roll back report nothing, typed or raw, nested, in any spelling")
  func savepoints() async throws {
    let events = try await events { connection in
      try connection.transaction { tx in
        try tx.execute("UPDATE Note SET title = 'kept' WHERE id = 1")
        try? tx.savepoint { inner in
          try inner.execute("UPDATE Note SET title = 'lost' WHERE id = 2")
          throw Abandoned()
        }
        try tx.execute("SAVEPOINT \"Outer\"")
        try tx.execute("UPDATE Note SET title = 'lost' WHERE id = 2")
        try tx.execute("savepoint inner_one")
        try tx.execute("DELETE FROM Note WHERE id = 3")
        try tx.execute("/* back */ ROLLBACK TRANSACTION TO SAVEPOINT [outer]")
        try tx.execute("INSERT INTO Note (id, title, stars) VALUES (4, 'four', 0)")
        try tx.execute("RELEASE OUTER")
      }
    }
    #expect(events == [["updated 1 title", "inserted 4 id,title"]])
  }

  @Test("in a failing statement, ABORT undoes its changes, and FAIL keeps and reports them")
  func failingStatements() async throws {
    let events = try await events { connection in
      try connection.transaction { tx in
        // The third row violates the index.
        #expect(throws: DatabaseError.self) {
          try tx.execute(
            """
            INSERT INTO Note (id, title, stars) VALUES (10, 'a', 0), (11, 'b', 0), (12, 'one', 0)
            """)
        }
        try tx.execute("UPDATE Note SET title = 'ONE' WHERE id = 1")
      }
      try connection.transaction { tx in
        #expect(throws: DatabaseError.self) {
          try tx.execute(
            """
            INSERT OR FAIL INTO Note (id, title, stars)
            VALUES (20, 'c', 0), (21, 'd', 0), (22, 'two', 0)
            """)
        }
      }
      // Without a transaction, FAIL commits the rows that it has written.
      #expect(throws: DatabaseError.self) {
        try connection.execute(
          "INSERT OR FAIL INTO Note (id, title, stars) VALUES (30, 'e', 0), (31, 'two', 0)")
      }
      #expect(throws: DatabaseError.self) {
        try connection.execute(
          "INSERT INTO Note (id, title, stars) VALUES (40, 'f', 0), (41, 'two', 0)")
      }
      #expect(throws: DatabaseError.self) {
        try connection.transaction { tx in
          try tx.execute("UPDATE Note SET title = 'gone' WHERE id = 3")
          try tx.execute(
            "INSERT OR ROLLBACK INTO Note (id, title, stars) VALUES (50, 'two', 0)")
        }
      }
    }
    #expect(
      events == [
        ["updated 1 title"], ["inserted 20 id,title", "inserted 21 id,title"],
        ["inserted 30 id,title"],
      ])
  }

  @Test("a trigger's row before a failing statement is kept by FAIL and undone by ABORT")
  func triggersOfFailingStatements() async throws {
    try await db.execute(
      """
      CREATE TRIGGER before_log BEFORE INSERT ON log BEGIN
        UPDATE Note SET title = title || '!' WHERE id = 1;
      END
      """)
    try await db.execute("INSERT INTO log (id, text) VALUES (1, 'first')")
    let events = try await events { connection in
      try connection.transaction { tx in
        #expect(throws: DatabaseError.self) {
          try tx.execute("INSERT OR FAIL INTO log (id, text) VALUES (1, 'again')")
        }
      }
      try connection.transaction { tx in
        #expect(throws: DatabaseError.self) {
          try tx.execute("INSERT INTO log (id, text) VALUES (1, 'again')")
        }
      }
    }
    let title = try await db.find(Note.self, 1)?.title
    #expect(title == "one!!")
    #expect(events == [["updated 1 title"]])
  }
}
