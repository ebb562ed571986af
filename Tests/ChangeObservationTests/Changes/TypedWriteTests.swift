import ChangeObservation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

/// Observers receive the rows that typed writes wrote, and no others.
@Suite("Changes by typed writes", .needs(.preUpdateHook))
struct TypedWriteTests {
  let db: Database

  init() throws {
    db = try Database.temporary(models: [Note.self, Tagging.self])
    try db.execute("CREATE UNIQUE INDEX note_title ON Note (title)")
    try db.insert([Note(title: "one"), Note(title: "two"), Note(title: "three")])
  }

  /// Runs a write while a stream watches, and returns the stream's elements as words.
  func reported(_ write: @escaping @Sendable (Connection) throws -> Void) async throws -> [String] {
    let stream = db.changes(of: Note.self)
    try await db.write { try write($0) }
    try await db.insert(Note(id: 999, title: "end"))
    let reported = await stream.collect { $0.inserted.contains { $0.keyValues == [999] } }
    return words(reported.dropLast()).flatMap { $0 }
  }

  @Test("an upsert is reported as an insert, an update, or nothing")
  func upsert() async throws {
    let rows = [Note(title: "four"), Note(title: "two", stars: 3), Note(title: "one")]
    let changes = try await reported { connection in
      let outcomes = try connection.upsert(Note.insert(rows).onConflictUpdate(\.$title))
      #expect(outcomes.map(\.outcome) == [.inserted, .updated, .unchanged])
    }
    #expect(changes == ["inserted 4 id,title,stars,body", "updated 2 stars"])
  }

  @Test("an insert of many models reports each row once, and none if it throws")
  func many() async throws {
    let stream = db.changes(of: Tagging.self)
    let taggings = (0..<64).map { Tagging(note: 1, tag: "tag \($0)") }
    var clashing = (0..<64).map { Tagging(note: 2, tag: "tag \($0)") }
    clashing[50].tag = "tag 3"
    try await db.insert(taggings)
    try await db.write { [clashing] connection in
      #expect(throws: DatabaseError.self) { try connection.insert(clashing) }
    }
    try await db.insert(Tagging(note: 3, tag: "end"))
    let reported = await stream.collect { $0.inserted.contains { $0.keyValues == [3, "end"] } }
    #expect(reported.map(\.rows.count) == [64, 1])
    #expect(reported[0].rows.map { $0.keyValues } == (0..<64).map { [1, .text("tag \($0)")] })
  }

  @Test("DO NOTHING, a false WHERE and a limit of 0 report nothing")
  func nothing() async throws {
    let changes = try await reported { connection in
      try connection.run(Note.insert(Note(title: "one", stars: 1)).onConflictDoNothing())
      try connection.upsert(Note(title: "one", stars: 1), onConflict: \.$title) {
        $0.$stars = $0.new.$stars
      } where: {
        $0.$stars > $0.new.$stars
      }
      try connection.run(Note.delete().limit(0))
      try connection.update(Note.self, 1) { _ in }
    }
    #expect(changes == [])
  }

  @Test("RETURNING, UPDATE FROM, ordered deletes and prepared writes report their rows")
  func returning() async throws {
    let rename = try await db.prepare { (id: SQLParameter<Int64?>, title: SQLParameter<String>) in
      Note.update { $0.$title = title }.where { $0.$id == id }
    }
    let changes = try await reported { connection in
      let inserted = try connection.fetch(
        Note.insert {
          $0.$title = "n"
          $0.$stars = 0
        }.returning(\.$id))
      #expect(inserted == [4])
      let gone = try connection.fetch(
        Note.delete().order(by: \.$title).limit(1).returning(\.$title))
      #expect(gone == ["n"])
      try connection.run(
        Note.update(from: Note.self) {
          $0.$stars = $1.$stars + 7
        } where: {
          $0.$id == $1.$id + 1
          $0.$id == 3
        })
      try connection.run(rename(1, "ONE"))
      try connection.update(Note.self, 2) { $0.stars = 9 }
    }
    #expect(changes == ["updated 3 stars", "updated 1 title", "updated 2 stars"])
  }

  @Test("a statement that fails halfway reports nothing")
  func failure() async throws {
    let changes = try await reported { connection in
      #expect(throws: DatabaseError.self) {
        try connection.run(
          Note.insert(\.$title, from: Note.order(by: \.$id).select(\.$title)).onConflictUpdate(
            \.$title
          ) { $0.$title = "same" })
      }
      #expect(throws: DatabaseError.self) {
        try connection.fetch(Note.update { $0.$title = "x" }.returning())
      }
    }
    #expect(changes == [])
  }
}
