import ChangeObservation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@Suite("changes(of:columns:keys:)", .needs(.preUpdateHook))
struct ChangeStreamTests {
  let db: Database

  init() throws {
    db = try Database.temporary(models: [Note.self, Tagging.self])
    try db.insert([Note(title: "one"), Note(title: "two"), Note(title: "three")])
  }

  /// Runs writes while a stream watches, and returns the stream's elements as words.
  func reported<each Value: ColumnValue>(
    columns: repeat KeyPath<Note, ColumnReference<each Value>>, keys: [Int64?]? = nil,
    of writes: @escaping @Sendable (Connection) throws -> Void
  ) async throws -> [[String]] {
    let stream = db.changes(of: Note.self, columns: repeat each columns, keys: keys)
    try await db.writeWithoutTransaction { try writes($0) }
    // A row that every stream sees ends the collection.
    try await db.writeWithoutTransaction { connection in
      try connection.execute(
        "INSERT INTO Note (id, title, stars, body) VALUES (999, 'end', 999, 'end')")
    }
    let reported = await stream.collect { $0.inserted.contains { $0.keyValues == [999] } }
    return words(reported.dropLast())
  }

  @Test("a transaction gives one element, with keys, columns, and old and new values")
  func oneElementATransaction() async throws {
    let stream = db.changes(of: Note.self)
    try await db.write { tx in
      var note = try #require(try tx.find(Note.self, 1))
      note.title = "ONE"
      note.stars = 5
      try tx.update(note)
      try tx.insert(Note(title: "four"))
      try tx.delete(Note.self, 3)
    }
    let changes = try #require(await stream.collect { _ in true }.first)
    #expect(
      words([changes]) == [
        [
          "updated 1 title,stars", "inserted 4 id,title,stars,body",
          "deleted 3 id,title,stars,body",
        ]
      ])
    let updated = try #require(changes.updated.first)
    #expect(try updated.key == 1)
    #expect(try updated.old(\.$title) == "one")
    #expect(try updated.new(\.$title) == "ONE")
    #expect(try updated.old(\.$stars) == 0)
    #expect(try updated.new(\.$stars) == 5)
    #expect(try updated.old(\.$body) == .some(nil))
    #expect(try changes.inserted.first?.old(\.$title) == nil)
    #expect(try changes.inserted.first?.new(\.$title) == "four")
    #expect(try changes.deleted.first?.old(\.$title) == "three")
    #expect(try changes.deleted.first?.new(\.$title) == nil)
  }

  @Test("`hasPrimaryKeyChanged` and `hasColumnChanged` are true only for what changed")
  func questions() async throws {
    let stream = db.changes(of: Note.self)
    try await db.run(Note.update { $0.$stars += 1 }.where { $0.$id == 2 })
    let changes = try #require(await stream.collect { _ in true }.first)
    #expect(changes.hasPrimaryKeyChanged(2))
    #expect(!changes.hasPrimaryKeyChanged(1))
    #expect(changes.hasColumnChanged(\.$stars))
    #expect(!changes.hasColumnChanged(\.$title))
    #expect(changes.hasColumnChanged(\.$stars, ofKey: 2))
    #expect(!changes.hasColumnChanged(\.$stars, ofKey: 1))
  }

  @Test("a stream of given columns reports only their changes")
  func columns() async throws {
    let reported = try await reported(columns: \.$title) { connection in
      try connection.execute("UPDATE Note SET stars = 7")
      try connection.execute("UPDATE Note SET title = 'x', stars = 8 WHERE id = 1")
    }
    #expect(reported == [["updated 1 title"]])
  }

  @Test("a stream of given keys and one column reports only those")
  func keys() async throws {
    let reported = try await reported(columns: \.$title, keys: [2, 999]) { connection in
      try connection.execute("UPDATE Note SET title = 'x' WHERE id = 1")
      try connection.execute("UPDATE Note SET title = 'y'")
      try connection.execute("DELETE FROM Note WHERE id = 3")
    }
    #expect(reported == [["updated 2 title"]])
  }

  @Test("`inserted`, `updated` and `deleted` divide the rows, even if they are all of one kind")
  func kinds() async throws {
    let stream = db.changes(of: Note.self)
    var iterator = stream.makeAsyncIterator()
    try await db.insert([Note(id: 11, title: "k"), Note(id: 12, title: "l")])
    var changes = try #require(await iterator.next())
    #expect(changes.inserted.map(\.keyValues) == [[11], [12]])
    #expect(changes.updated.isEmpty && changes.deleted.isEmpty)
    try await db.execute("UPDATE Note SET stars = 9 WHERE id > 10")
    changes = try #require(await iterator.next())
    #expect(changes.updated.map(\.keyValues) == [[11], [12]])
    #expect(changes.inserted.isEmpty && changes.deleted.isEmpty)
    try await db.write { tx in
      try tx.execute("UPDATE Note SET stars = 8 WHERE id = 11")
      try tx.execute("DELETE FROM Note WHERE id = 12")
    }
    changes = try #require(await iterator.next())
    #expect(changes.updated.map(\.keyValues) == [[11]])
    #expect(changes.deleted.map(\.keyValues) == [[12]])
    #expect(changes.inserted.isEmpty)
  }

  @Test("a stored value that is not one of the column's type throws an error that names the column")
  func invalidValue() async throws {
    // A table of another program, which stores any value.
    let db = try Database.temporary()
    try await db.execute(
      """
      CREATE TABLE Note (id INTEGER PRIMARY KEY, title, stars, body);
      INSERT INTO Note VALUES (1, 'one', 0, NULL);
      """)
    let stream = db.changes(of: Note.self)
    try await db.execute("UPDATE Note SET stars = 'many' WHERE id = 1")
    let row = try #require(await stream.collect { _ in true }.first?.rows.first)
    #expect(try row.old(\.$stars) == 0)
    let error = #expect(throws: ColumnValueError.self) { try row.new(\.$stars) }
    #expect(error?.table == "Note" && error?.column == "stars")
  }

  @Test("reading a column that is not watched throws")
  func unwatchedColumn() async throws {
    let stream = db.changes(of: Note.self, columns: \.$title)
    try await db.run(Note.update { $0.$title = "x" }.where { $0.$id == 1 })
    let row = try #require(await stream.collect { _ in true }.first?.rows.first)
    #expect(throws: DatabaseError.self) { try row.old(\.$stars) }
  }

  @Test("an update without effect, or one reversed in its transaction, is not reported")
  func netNothing() async throws {
    let reported = try await reported { connection in
      try connection.execute("UPDATE Note SET title = title")
      try connection.transaction { tx in
        try tx.execute("UPDATE Note SET title = 'x' WHERE id = 1")
        try tx.execute("UPDATE Note SET title = 'one' WHERE id = 1")
        try tx.execute("INSERT INTO Note (id, title, stars) VALUES (50, 'a', 0)")
        try tx.execute("DELETE FROM Note WHERE id = 50")
      }
    }
    #expect(reported == [])
  }

  @Test("a row written several times is one change, from its first to its last state")
  func netted() async throws {
    let stream = db.changes(of: Note.self)
    try await db.write { tx in
      try tx.execute("UPDATE Note SET title = 'a' WHERE id = 1")
      try tx.execute("UPDATE Note SET title = 'b' WHERE id = 1")
      try tx.execute("DELETE FROM Note WHERE id = 2")
      try tx.execute("INSERT INTO Note (id, title, stars) VALUES (2, 'again', 0)")
    }
    let changes = try #require(await stream.collect { _ in true }.first)
    #expect(words([changes]) == [["updated 1 title", "updated 2 title"]])
    #expect(try changes.rows[0].old(\.$title) == "one")
    #expect(try changes.rows[0].new(\.$title) == "b")
  }

  @Test("REPLACE, a changed key, a composite key and a cascade are reported by row")
  func specialStatements() async throws {
    try await db.insert([Tagging(note: 1, tag: "a"), Tagging(note: 1, tag: "b")])
    let tags = db.changes(of: Tagging.self)
    let reported = try await reported { connection in
      try connection.execute("REPLACE INTO Note (id, title, stars) VALUES (2, 'new', 0)")
      try connection.execute("UPDATE Note SET id = 30 WHERE id = 3")
      try connection.execute("UPDATE Tagging SET weight = 2 WHERE tag = 'b'")
      try connection.execute("DELETE FROM Note WHERE id = 1")
    }
    #expect(
      reported == [
        ["updated 2 title"],
        ["deleted 3 id,title,stars,body", "inserted 30 id,title,stars,body"],
        ["deleted 1 id,title,stars,body"],
      ])
    let tagChanges = await tags.collect { $0.deleted.count == 2 }
    #expect(
      words(tagChanges) == [
        ["updated 1,'b' weight"],
        ["deleted 1,'a' note,tag,weight", "deleted 1,'b' note,tag,weight"],
      ])
    // A whole number in a REAL column is read as a real.
    let weight = try tagChanges[0].rows[0].new(\.$weight)
    #expect(weight == 2.0)
    #expect(try tagChanges[0].rows[0].key == Tagging.ID(note: 1, tag: "b"))
  }

  @Test("a filtered stream reports rows that satisfied the predicate before or after the write")
  func predicate() async throws {
    var changes = db.changes(of: Note.self, where: { $0.$stars > 2 }).makeAsyncIterator()
    try await db.execute("UPDATE Note SET title = 'x' WHERE id = 1")
    try await db.execute("UPDATE Note SET stars = id + 1")
    try await db.execute("UPDATE Note SET stars = 0, title = 'y'")
    try await db.execute("UPDATE Note SET stars = 9 WHERE id = 1")
    try await db.execute("DELETE FROM Note")
    var reported: [ModelChanges<Note>] = []
    for _ in 0..<4 { if let element = await changes.next() { reported.append(element) } }
    #expect(
      words(reported) == [
        ["updated 2 stars", "updated 3 stars"], ["updated 2 title,stars", "updated 3 title,stars"],
        ["updated 1 stars"], ["deleted 1 id,title,stars,body"],
      ])
  }
}
