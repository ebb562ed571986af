import CSQLite
import ChangeObservation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@Suite("The pre-update hook", .needs(.preUpdateHook))
struct HookTests {
  /// Whether the library has an observer.
  private func isObserved(_ db: Database) throws -> Bool {
    try db.writing { $0.observer != nil }
  }

  /// Whether SQLite has a pre-update hook for the writer. The question takes the hook away, as
  /// SQLite has no other: ask each database once.
  private func takeHook(of db: Database) throws -> Bool {
    try db.writing { sqlite3_preupdate_hook($0.handle, nil, nil) != nil }
  }

  @Test("SQLite has the hook only while there is an observer")
  func installedWhileObserved() async throws {
    #expect(try !takeHook(of: .temporary(models: [Note.self])))
    for isDropped in [false, true] {
      let db = try Database.temporary(models: [Note.self])
      var stream: ChangeStream<Note>? = db.changes(of: Note.self)
      #expect(try isObserved(db) && stream != nil)
      if isDropped { stream = nil }
      #expect(try takeHook(of: db) == !isDropped)
      withExtendedLifetime(stream) {}
    }
    for isDropped in [false, true] {
      let db = try Database.temporary(models: [Note.self])
      var iterator: QueryObservation<Note>.Iterator? = db.observe(Note.all).makeAsyncIterator()
      _ = try await iterator?.next()
      #expect(try isObserved(db))
      if isDropped {
        iterator = nil
        // A reader's thread may hold what it fetched a moment longer.
        while try isObserved(db) { try await Task.sleep(for: .milliseconds(1)) }
      }
      #expect(try takeHook(of: db) == !isDropped)
      _ = iterator
    }
  }

  @Test("rows of an ignored table are reported once it is observed")
  func passedOver() async throws {
    let db = try Database.temporary(models: [Note.self, Tagging.self])
    let tags = db.changes(of: Tagging.self)
    try await db.insert([Note(title: "one"), Note(title: "two")])
    try await db.execute("UPDATE Note SET stars = 1")
    let notes = db.changes(of: Note.self)
    try await db.execute("UPDATE Note SET stars = 2")
    try await db.insert(Tagging(note: 1, tag: "a"))
    #expect(words(await notes.collect { _ in true }) == [["updated 1 stars", "updated 2 stars"]])
    #expect(words(await tags.collect { _ in true }) == [["inserted 1,'a' note,tag,weight"]])
    // Another table takes the name of one that was ignored.
    let plain = db.changes(of: Note.self, columns: \.$title)
    try await db.write { tx in
      try tx.execute("CREATE TABLE Other (id INTEGER PRIMARY KEY, title TEXT)")
      try tx.execute("INSERT INTO Other VALUES (1, 'x')")
    }
    try await db.execute("DROP TABLE Note; ALTER TABLE Other RENAME TO Note")
    try await db.execute("UPDATE Note SET title = 'y'")
    let reported = await plain.collect { !$0.rows.isEmpty }
    #expect(words(reported).last == ["updated 1 title"])
  }

  @Test("a DELETE without WHERE that was cached before is reported row by row")
  func truncatingDelete() async throws {
    let db = try Database.temporary(models: [Note.self])
    let notes = [Note(title: "one"), Note(title: "two")]
    try await db.insert(notes)
    try await db.execute("DELETE FROM Note")
    try await db.run(Note.delete())
    try await db.insert(notes)
    let stream = db.changes(of: Note.self)
    try await db.execute("DELETE FROM Note")
    try await db.insert(notes)
    try await db.run(Note.delete())
    let changes = await stream.collect { _ in true }
    #expect(changes.first?.deleted.count == 2)
    var rest: [ModelChanges<Note>] = []
    for await change in stream {
      rest.append(change)
      if rest.count == 2 { break }
    }
    #expect(rest[0].inserted.count == 2)
    #expect(rest[1].deleted.count == 2)
  }

  @Test("updates of added columns, beside generated ones and WITHOUT ROWID, are reported")
  func unusualTables() async throws {
    struct Gadget: Model {
      @PrimaryKey var code: String
      @Column var price: Double
      @Column var count: Int
      var id: String { code }
    }
    let db = try Database.temporary()
    try await db.execute(
      """
      CREATE TABLE Gadget (
        doubled REAL GENERATED ALWAYS AS (price * 2) VIRTUAL,
        code TEXT NOT NULL PRIMARY KEY,
        price REAL NOT NULL
      ) WITHOUT ROWID
      """)
    try await db.execute("INSERT INTO Gadget (code, price) VALUES ('old', 3)")
    try await db.execute("ALTER TABLE Gadget ADD COLUMN count INTEGER NOT NULL DEFAULT 7")
    let stream = db.changes(of: Gadget.self)
    try await db.execute("UPDATE Gadget SET price = 4")
    let row = try #require(await stream.collect { _ in true }.first?.rows.first)
    #expect(row.changedColumns == ["price"])
    #expect(try row.key == "old")
    #expect(try row.old(\.$price) == 3)
    #expect(try row.new(\.$price) == 4)
    #expect(try row.old(\.$count) == 7)
    #expect(try row.new(\.$count) == 7)
  }

  @Test("a schema change is reported as such, and rows after it are exact")
  func schemaChange() async throws {
    let db = try Database.temporary(models: [Note.self])
    try await db.insert(Note(title: "one"))
    let stream = db.changes(of: Note.self)
    try await db.write { tx in
      try tx.execute("ALTER TABLE Note ADD COLUMN extra TEXT")
    }
    try await db.execute("UPDATE Note SET stars = 3")
    let changes = await stream.collect { !$0.rows.isEmpty }
    #expect(words(changes) == [["schemaChanged"], ["updated 1 stars"]])
  }
}
