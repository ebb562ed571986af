import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@testable import QueryFixtures

/// Text that looks like SQL is a value or a name, and is never run as SQL. The authorizer reports
/// what a statement would do while the statement is prepared.
@Suite("Hostile text")
struct HostileTextTests {
  struct Note: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var text: String
    @Column var more: String?
    @Column var json: JSON<[String: String]>
  }

  struct Value: ResultRow, Equatable {
    @Column var text: String
  }

  let db: Database
  let texts: [String]
  let seed = TestSeed.draw()

  init() throws {
    db = try Specification.database(models: [Note.self])
    try db.insert(Note(id: 0, text: "", more: nil, json: JSON([:])))
    var random = SeededGenerator(seed: seed)
    let pieces = [
      "\"", "'", "`", "[", "]", ";", "--", "/*", "*/", "\\", "\0", "\n", "?", "?1", ":a", "@b",
      "$c",
      "DROP TABLE Note", "DELETE FROM Note", "1=1", " OR ", " UNION SELECT ", "sqlite_schema",
      "\"\u{301}", "'\u{301}", "%", "_", "é", "e\u{301}", "🐦", "\u{202E}", "\u{FEFF}", "SELECT",
      "value", "text", "Note", "rowid", "NULL", "true", "count(*)", ")", "(", ",", " ", "x'00'",
    ]
    texts =
      pieces
      + (0..<1_000).map { _ in
        (0...Int.random(in: 0...5, using: &random))
          .compactMap { _ in pieces.randomElement(using: &random) }.joined()
      }
  }

  /// Expects that a query reads only the notes.
  private func expectHarmless(_ query: some Fetchable, _ text: String) throws {
    let sql = try query.sql
    let (read, effects) = try db.reading { core in
      let statement = try core.lendStatement(text: sql.text)
      defer { core.giveBack(statement) }
      return (try core.dependencies(of: sql.text), statement.pointee.effects)
    }
    // The other names are those of common tables and of the array that `isIn` binds.
    let tables = Set(read.map(\.table)).subtracting(["Note", "apus_array", text])
    #expect(tables.isEmpty, "seed \(seed): \(text.debugDescription) reads \(tables)")
    #expect(effects.isEmpty, "seed \(seed): \(text.debugDescription)")
  }

  @Test("a text as a value reads back unchanged wherever a value may be")
  func values() throws {
    for (index, text) in texts.enumerated() {
      let note = Note(id: index + 1, text: text, more: text, json: JSON([text: text]))
      try db.insert(note)
      let byKey = Note.where { $0.$id == index + 1 }
      #expect(try db.first(byKey) == note, "seed \(seed): \(text.debugDescription)")
      let query = Note.where { note in
        note.$id == index + 1
        note.$text == text
        note.$more == text
        note.$text.isIn([text])
        note.$text.concat(text) == text + text
        note.$more.ifNull("-") == text
        SQLExpression<String>(sql: "\(text)") == note.$text
        SQLPredicate(sql: "\(note.$more) = \(text)")
        Case(when: note.$text == text, then: text).else("-") == text
        note.$text.instr(text) == 1
      }
      let found = try db.fetch(query.select { ($0.$text, SQLExpression(text)) })
      #expect(found.map(\.0) == [text] && found.map(\.1) == [text], "seed \(seed)")
      try expectHarmless(query, text)
      try db.run(Note.update { $0.$more = text + "!" }.where { $0.$text == text })
      #expect(try db.first(byKey)?.more == text + "!", "seed \(seed)")
      _ = try db.count(Note.where { $0.$text.like(text) || $0.$text.glob(text) })
      try db.run(Note.delete().where { $0.$text == text && $0.$id == index + 1 })
    }
    #expect(try db.fetch(Note.select(\.$id)) == [0])
  }

  @Test("a text as a name reads back unchanged, and U+0000 in a name throws a QueryError")
  func names() throws {
    for text in texts {
      let alias = Note.select { $0.$text.as(text) }.order(byColumn: text)
      let table = CommonTable(text, Note.select(into: Value.self))
      let common = Query { (value: Columns<Value>) in
        With(table)
        From(table.as(value))
        Select(value)
      }
      let window = Query { (note: Columns<Note>) in
        From(note)
        NamedWindow(text, .order(by: note.$id))
        Select(note.count().over(named: text))
      }
      guard !text.utf8.contains(0) else {
        #expect(throws: QueryError.self) { try alias.sql }
        #expect(throws: QueryError.self) { try common.sql }
        #expect(throws: QueryError.self) { try window.sql }
        continue
      }
      if text.lowercased() == "note" {
        #expect(throws: QueryError.self) { try common.sql }
        continue
      }
      #expect(
        try db.rows(try alias.sql).map(\.columnNames) == [[text]],
        "seed \(seed): \(text.debugDescription)")
      #expect(try db.fetch(alias) == [""] && db.fetch(common) == [Value(text: "")], "seed \(seed)")
      #expect(try db.fetch(window) == [1], "seed \(seed): \(text.debugDescription)")
      try expectHarmless(alias, text)
      try expectHarmless(common, text)
      try expectHarmless(window, text)
    }
  }

  @Test("calling an unknown collation throws, and unknown functions and collations change nothing")
  func unknownNames() throws {
    let before = try db.rows("SELECT name, sql FROM sqlite_schema").map(\.values)
    for text in texts {
      let function = SQLFunction<String, String>(text)
      let call = Note.select { function($0.$text) }
      let collated = Note.all.order { $0.$text.collated(Collation(text)) }
      // Some pieces are names of SQLite's own functions, which may be called.
      let isKnown = try db.row(
        "SELECT 1 FROM pragma_function_list WHERE name = \(text) COLLATE NOCASE")
      if isKnown == nil {
        #expect(throws: (any Error).self, "\(text.debugDescription)") { try db.fetch(call) }
      }
      #expect(throws: (any Error).self) { try db.fetch(collated) }
    }
    #expect(try db.rows("SELECT name, sql FROM sqlite_schema").map(\.values) == before)
    #expect(try db.count(Note.all) == 1)
  }

  @Test("columns and common tables whose names differ only in case are refused")
  func onlyCase() throws {
    struct Twin: ResultRow {
      @Column var name: String
      @Column var NAME: String
    }
    let twin = #expect(throws: QueryError.self) { try Note.select(into: Twin.self).sql }
    #expect(twin?.message.contains("two columns differ only by case") == true)
    let (one, other) = (CommonTable("a", Note.all), CommonTable("A", Note.all))
    let query = Query { (note: Columns<Note>) in
      With(one)
      With(other)
      From(one.as(note))
      Select(note)
    }
    #expect(throws: QueryError.self) { try query.sql }
  }
}
