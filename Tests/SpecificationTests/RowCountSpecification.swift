import QueryDSL
import SQLCore
import Testing

@testable import QueryFixtures

@Suite("LIMIT, OFFSET, rowids, and rows of a struct")
struct RowCountSpecification {
  let music: Music

  struct Setting: Model, Equatable {
    @PrimaryKey var name: String
    @Column var value: Int

    var id: String { name }

    static var schema: Schema<Setting> { Unique(\.$value) }
  }

  /// A table without a key.
  struct Note: TableModel, Equatable {
    @Column var text: String
    @Column var level: Int
  }

  struct Heading: ResultRow, Equatable {
    @Column var title: String
    @Column var doubled: Int
  }

  init() throws { music = try Music() }

  private func settings() throws -> Database {
    let db = try Specification.database(models: [Setting.self, Note.self])
    try db.insert(["z", "a", "m"].enumerated().map { Setting(name: $0.element, value: $0.offset) })
    for (level, text) in ["b", "a", "c"].enumerated() {
      try db.insert(Note(text: text, level: level))
    }
    return db
  }

  @Test("a query may begin with its offset")
  func offset() throws {
    let query = Track.offset(3).order(by: \.$id)
    #expect(try query.sql.text.hasSuffix(#"FROM "Track" ORDER BY "id" LIMIT -1 OFFSET ?"#))
    #expect(try music.db.fetch(query).map(\.id) == [4, 5])
  }

  @Test("LIMIT and OFFSET may be expressions and subqueries, but see no columns of the query")
  func expressions() throws {
    let albums = Album.all.count()
    let query = Track.order(by: \.$id).limit(albums - 1).offset(SQLExpression(1) + 1).select(\.$id)
    #expect(
      try query.sql.text == """
        SELECT "id" FROM "Track" ORDER BY "id" LIMIT (SELECT count(*) FROM "Album") - ? OFFSET ? + ?
        """)
    #expect(try music.db.fetch(query) == [3, 4])
    #expect(try music.db.count(query) == 2)
    let clause = Query { (track: Columns<Track>) in
      From(track)
      OrderBy(track.$id)
      Limit(Album.order(by: \.$id).select(\.$id).subquery().nonOptional() + 1)
      Offset(SQLExpression(3) - 1)
      Select(track.$id)
    }
    #expect(try music.db.fetch(clause) == [3, 4])
    #expect(try music.db.fetch(query.limit(1)) == [3])
    #expect(try music.db.fetch(query.limit(nil).offset(nil)) == [1, 2, 3, 4, 5])
    let error = #expect(throws: QueryError.self) {
      try Query { (track: Columns<Track>) in
        From(track)
        Limit(track.$plays)
        Select(track.$id)
      }.sql
    }
    #expect(error?.message.contains("not in FROM") == true)
    let prepared = try music.db.prepare { (count: SQLParameter<Int>) in
      Track.order(by: \.$id).limit(count * 2).select(\.$id)
    }
    #expect(try music.db.fetch(prepared(1)) == [1, 2])
    #expect(try music.db.fetch(prepared(2)) == [1, 2, 3, 4])
  }

  @Test("a query with a limit that is an expression can be observed, joined and deleted")
  func uses() throws {
    let few = Track.order(by: \.$id).limit(SQLExpression(1) + 1)
    #expect(
      try music.db.fetch(few.select(\.$id).union(Track.where { $0.$id == 5 }.select(\.$id)))
        .sorted() == [1, 2, 5])
    #expect(
      try few.delete().sql.text == """
        DELETE FROM "Track" WHERE "id" IN (SELECT "id" FROM "Track" ORDER BY "id" LIMIT ? + ?)
        """)
    #expect(try music.db.run(few.delete()) == 2)
    #expect(try music.db.fetch(Track.order(by: \.$id)).map(\.id) == [3, 4, 5])
  }

  @Test("the rowid is selected, compared and ordered by, whatever the key is")
  func rowIDs() throws {
    let db = try settings()
    let query = Setting.order { $0.rowID }.select { ($0.rowID, $0.$name) }
    #expect(
      try query.sql.text == #"SELECT rowid, "name" FROM "Setting" ORDER BY rowid"#)
    let rows = try db.fetch(query)
    #expect(rows.map(\.0) == [1, 2, 3] && rows.map(\.1) == ["z", "a", "m"])
    #expect(
      try db.fetch(Setting.where { $0.rowID > 1 }.order(by: \.$name)).map(\.name) == ["a", "m"])
    #expect(try music.db.fetch(Track.where { $0.rowID == 2 }).map(\.id) == [2])
    let pairs = Query { (setting: Columns<Setting>, note: Columns<Note>) in
      From(setting)
      Join(note, on: note.rowID == setting.rowID)
      OrderBy(setting.rowID)
      Select(setting.$name, note.$text)
    }
    #expect(
      try pairs.sql.text == """
        SELECT "Setting"."name", "Note"."text" FROM "Setting" JOIN "Note" \
        ON "Note".rowid = "Setting".rowid ORDER BY "Setting".rowid
        """)
    #expect(try db.fetch(pairs).map(\.1) == ["b", "a", "c"])
  }

  @Test("an update leaves out the rows that would violate a constraint")
  func orIgnore() throws {
    let db = try settings()
    let update = Setting.update { $0.$value = 2 }.where { $0.$name != "z" }.orIgnore()
    #expect(
      try update.sql.text == #"UPDATE OR IGNORE "Setting" SET "value" = ? WHERE "name" <> ?"#)
    #expect(try db.run(update) == 1)
    #expect(try db.fetch(Setting.order(by: \.$name)).map(\.value) == [1, 2, 0])
    #expect(throws: DatabaseError.self) { try db.run(Setting.update { $0.$value = 2 }) }
  }

  @Test("updates and deletions have an order, a limit and an offset, also without a key")
  func commands() throws {
    let db = try settings()
    let delete = Note.delete().order(by: \.$text).limit(1).offset(1)
    #expect(
      try delete.sql.text == """
        DELETE FROM "Note" WHERE rowid IN \
        (SELECT rowid FROM "Note" ORDER BY "text" LIMIT ? OFFSET ?)
        """)
    #expect(try db.run(delete) == 1)
    #expect(try db.fetch(Note.order(by: \.$text)).map(\.text) == ["a", "c"])
    #expect(try db.run(Note.update { $0.$level = 9 }.order(by: \.$text).offset(1)) == 1)
    #expect(try db.fetch(Note.order(by: \.$text)).map(\.level) == [1, 9])
    #expect(try db.run(Setting.order(by: \.$name).offset(1).limit(1).delete()) == 1)
    #expect(try db.fetch(Setting.order(by: \.$name)).map(\.name) == ["a", "z"])
    #expect(throws: QueryError("OFFSET is negative: -1")) { try db.run(Note.delete().offset(-1)) }
  }

  @Test("expressions are selected into a struct, from every kind of query")
  func structs() throws {
    let query = Track.where { $0.$plays > 40 }.order(by: \.$id).select(
      { ($0.$title, ($0.$plays * 2).as("doubled")) }, into: Heading.self)
    #expect(
      try query.sql.text == """
        SELECT "title" AS "title", "plays" * ? AS "doubled" FROM "Track" WHERE "plays" > ? \
        ORDER BY "id"
        """)
    #expect(
      try music.db.fetch(query) == [
        Heading(title: "Alpha", doubled: 200), Heading(title: "Delta 100%", doubled: 100),
      ])
    let all = Track.select({ ($0.$title, 7.as(\Heading.$doubled)) }, into: Heading.self)
    #expect(try music.db.fetch(all.order(by: \.$id)).map(\.doubled) == [7, 7, 7, 7, 7])
    let joined = Query { (track: Columns<Track>, album: Columns<Album>) in
      From(track)
      Join(album, on: track.$albumID == album.$id)
      OrderBy(track.$id)
      Select(track)
    }.select(
      { (track: Columns<Track>, album: Columns<Album>) in
        (album.$name.as("title"), track.$plays.as("doubled"))
      }, into: Heading.self)
    #expect(try music.db.fetch(joined.limit(1)) == [Heading(title: "One", doubled: 100)])
    let error = #expect(throws: QueryError.self) {
      try Track.select({ ($0.$title, $0.$plays) }, into: Heading.self).sql
    }
    #expect(error?.message.contains("no selected column has the name") == true)
  }

  @Test("a name that is a property has its type checked by the compiler")
  func typedNames() throws {
    let query = Track.order(by: \.$id).limit(1).select(
      { ($0.$title.as(\Heading.$title), $0.$rating.ifNull(0).as(\Heading.$doubled)) },
      into: Heading.self)
    #expect(try music.db.fetch(query) == [Heading(title: "Alpha", doubled: 5)])
  }
}
