import ChangeObservation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@Suite("changes()", .needs(.preUpdateHook))
struct DatabaseChangesTests {
  func text(_ changes: DatabaseChanges?) -> [String] {
    (changes?.tables ?? []).flatMap { table in
      table.events.map { "\(table.schema).\(table.name) \($0)" }.sorted()
        + table.rows.map { row in
          let columns = row.changedColumns.map { column in
            "\(column) \(row.old(column)?.description ?? "-")>\(row.new(column)?.description ?? "-")"
          }
          let key = row.keyValues.map(\.description).joined(separator: ",")
          return "\(table.name) \(row.kind) \(key) \(columns.joined(separator: " "))"
        }
    }
  }

  @Test("every table is reported with its rows, including tables created later")
  func everyTable() async throws {
    let db = try Database.temporary(models: [Note.self, Tagging.self])
    var changes = db.changes().makeAsyncIterator()
    try await db.write(label: "both") { tx in
      try tx.insert(Note(title: "one"))
      try tx.insert(Tagging(note: 1, tag: "a"))
    }
    let first = await changes.next()
    #expect(first?.label == "both")
    #expect(
      text(first) == [
        "Note inserted 1 id ->1 title ->'one' stars ->0 body ->NULL",
        "Tagging inserted 1,'a' note ->1 tag ->'a' weight ->1.0",
      ])
    try await db.execute("CREATE TABLE Later (id INTEGER PRIMARY KEY, text TEXT)")
    #expect(text(await changes.next()) == ["main.Later schemaChanged"])
    try await db.execute("INSERT INTO Later VALUES (3, 'x')")
    #expect(text(await changes.next()) == ["Later inserted 3 id ->3 text ->'x'"])
    try await db.execute("DELETE FROM Note")
    #expect(
      text(await changes.next()) == [
        "Note deleted 1 id 1>- title 'one'>- stars 0>- body NULL>-",
        "Tagging deleted 1,'a' note 1>- tag 'a'>- weight 1.0>-",
      ])
  }

  @Test("tables of the same name in attached databases are distinguished")
  func attached() async throws {
    let db = try Database.temporary(models: [Note.self])
    let other = try Database.temporary(models: [Note.self])
    let path = try #require(other.path)
    try await db.writeWithoutTransaction { connection in
      try connection.execute("ATTACH \(path) AS \"Second\"")
    }
    let notes = db.changes(of: Note.self)
    var changes = db.changes().makeAsyncIterator()
    try await db.execute("INSERT INTO Second.Note (id, title, stars) VALUES (7, 'there', 0)")
    let reported = await changes.next()
    #expect(reported?.tables.map(\.schema) == ["second"])
    #expect(text(reported) == ["Note inserted 7 id ->7 title ->'there' stars ->0 body ->NULL"])
    #expect(reported?["Note"] == nil)
    try await db.execute("INSERT INTO Note (id, title, stars) VALUES (8, 'here', 0)")
    #expect(await changes.next()?.tables.map(\.schema) == ["main"])
    #expect(words(await notes.collect { _ in true }) == [["inserted 8 id,title,stars,body"]])
  }

  @Test("tables WITHOUT ROWID in an attached database with a capitalized name are reported")
  func attachedWithoutRowID() async throws {
    let db = try Database.temporary()
    let other = try Database.temporary()
    try await other.execute("CREATE TABLE Word (name TEXT PRIMARY KEY, count INT) WITHOUT ROWID")
    let path = try #require(other.path)
    try await db.writeWithoutTransaction { try $0.execute("ATTACH \(path) AS \"Second\"") }
    var changes = db.changes().makeAsyncIterator()
    try await db.execute("INSERT INTO Second.Word VALUES ('a', 1)")
    #expect(text(await changes.next()) == ["Word inserted 'a' name ->'a' count ->1"])
  }

  @Test("temporary tables, SQLite's own, and the shadow tables of an index are not reported")
  func hiddenTables() async throws {
    let db = try Database.temporary(models: [Note.self])
    try await db.execute("CREATE VIRTUAL TABLE search USING fts5(text)")
    var changes = db.changes().makeAsyncIterator()
    try await db.write { tx in
      try tx.execute("CREATE TEMP TABLE scratch (id INTEGER)")
      try tx.execute("INSERT INTO scratch VALUES (1)")
    }
    try await db.execute("ANALYZE")
    try await db.execute("INSERT INTO search VALUES ('words')")
    try await db.insert(Note(title: "one"))
    #expect(
      text(await changes.next()) == ["Note inserted 1 id ->1 title ->'one' stars ->0 body ->NULL"])
  }
}
