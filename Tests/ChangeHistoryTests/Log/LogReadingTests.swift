import ApusHistory
import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@Suite("Reading and purging the change log")
struct LogReadingTests {
  private typealias Shelf = Archive.Shelf

  /// Returns a database whose log has `count` entries, of one new shelf each.
  private func database(_ count: Int) throws -> Database {
    let db = try Archive.database()
    for id in 0..<count { try db.insert(Shelf(id: id, name: "name \(id)")) }
    return db
  }

  private func keys(_ entries: [LogEntry]) throws -> [Int] {
    try entries.flatMap { try $0.changes(of: Shelf.self).map { try $0.key } }
  }

  @Test("entries are read in pieces, from a position")
  func pieces() throws {
    let db = try database(7)
    var found: [Int] = []
    var position = LogPosition.start
    while true {
      let entries = try db.log.entries(after: position, limit: 3)
      guard let last = entries.last else { break }
      #expect(entries.count <= 3)
      found += try keys(entries)
      position = last.position
    }
    #expect(found == Array(0..<7))
    #expect(try db.read { try $0.logPosition() } == position)
    #expect(try db.log.entries(after: position).isEmpty)
    // The text of a position stays, as in a file of settings.
    let stored = try #require(LogPosition("\(position)"))
    #expect(stored == position && stored.number == 7)
    #expect(
      try JSONDecoder().decode(LogPosition.self, from: JSONEncoder().encode(stored)) == stored)
    #expect(LogPosition("0") == .start && LogPosition("x:1") == nil && LogPosition("1:2:3") == nil)
  }

  @Test("a cursor keeps its place in the file, and moves only forwards")
  func cursor() throws {
    let db = try database(5)
    let cursor = try db.log.cursor("search")
    let first = try cursor.next(limit: 2)
    #expect(try keys(first) == [0, 1])
    #expect(try keys(cursor.next(limit: 2)) == [0, 1])
    try cursor.advance(past: first[1])
    try cursor.advance(past: first[0])
    let reopened = try Database(path: try #require(db.path), models: Archive.models)
    let again = try reopened.log.cursor("search")
    #expect(try keys(again.next()) == [2, 3, 4])
    #expect(try keys(reopened.log.cursor("other").next()) == [0, 1, 2, 3, 4])
    try cursor.remove()
    #expect(throws: LogError.unknownCursor("search")) { try again.next() }
    #expect("\(LogError.unknownCursor("search"))".contains("search"))
  }

  @Test("the newest entries are read in order, also of a log that is short or was purged")
  func newest() throws {
    let db = try database(5)
    #expect(try keys(db.log.newestEntries(limit: 2)) == [3, 4])
    #expect(try keys(db.log.newestEntries(limit: 5)) == [0, 1, 2, 3, 4])
    #expect(try keys(db.log.newestEntries()) == [0, 1, 2, 3, 4])
    #expect(try db.log.newestEntries(limit: 0).isEmpty)
    try db.log.purge(keeping: .init(count: 2))
    #expect(try keys(db.log.newestEntries(limit: 1)) == [4])
    #expect(try keys(db.log.newestEntries(limit: 2)) == [3, 4])
    #expect(try keys(db.log.newestEntries()) == [3, 4])
    // An entry that another program left open is ended.
    try Archive.stranger(of: db).execute("INSERT INTO Shelf VALUES (9, 'x')")
    #expect(try keys(db.log.newestEntries(limit: 2)) == [4, 9])
    try db.log.purge(keeping: .init(count: 0))
    #expect(try db.log.newestEntries().isEmpty)
    #expect(throws: LogError.noLog) { try Database.temporary().log.newestEntries() }
  }

  @Test("the status has the newest entry, the number of entries and the cursors")
  func status() throws {
    let db = try database(5)
    #expect(try db.log.status().count == 5)
    let cursor = try db.log.cursor("search")
    let entries = try cursor.next(limit: 3)
    try cursor.advance(past: try #require(entries.last))
    try db.log.purge(keeping: .init(count: 3))
    let status = try db.log.status()
    let position = try db.read { try $0.logPosition() }
    #expect(status.position == position)
    #expect(status.count == 3)
    #expect(status.cursors == ["search": entries[2].position])
    #expect(throws: LogError.noLog) { try Database.temporary().log.status() }
  }

  @Test("the newest entries and the status are read from asynchronous code")
  func asynchronous() async throws {
    let db = try Archive.database()
    for id in 0..<3 { try await db.insert(Shelf(id: id, name: "name")) }
    #expect(try keys(await db.log.newestEntries(limit: 2)) == [1, 2])
    #expect(try await db.log.status().count == 3)
  }

  @Test("a cursor can be moved in the transaction that handles the entry")
  func transactional() throws {
    struct Failure: Error {}
    let db = try database(2)
    let cursor = try db.log.cursor("notes")
    let entry = try #require(try cursor.next().first)
    #expect(throws: Failure.self) {
      try db.write { tx in
        try tx.insert(Archive.Note(id: 1, text: "handled"))
        try tx.advanceLogCursor("notes", past: entry)
        throw Failure()
      }
    }
    #expect(try keys(cursor.next()) == [0, 1])
    try db.write { tx in
      try tx.insert(Archive.Note(id: 1, text: "handled"))
      try tx.advanceLogCursor("notes", past: entry)
    }
    #expect(try keys(cursor.next()) == [1])
  }

  @Test("purging keeps what is within all bounds and what a cursor has not passed")
  func purging() throws {
    let db = try database(10)
    let cursor = try db.log.cursor("slow")
    let entries = try cursor.next()
    #expect(try db.log.purge(keeping: .init(count: 4)) == 0)
    try cursor.advance(past: entries[2])
    #expect(try db.log.purge(keeping: .init(count: 4)) == 3)
    #expect(try keys(cursor.next()) == Array(3..<10))
    try cursor.advance(past: entries[9])
    #expect(try db.log.purge(keeping: .init(count: 4)) == 3)
    #expect(try db.log.purge(keeping: .init(age: .seconds(3600))) == 0)
    #expect(try db.log.purge(keeping: .init(count: 3, bytes: 1_000_000)) == 1)
    // Each entry has eight bytes of key and name, as SQLite counts them.
    #expect(try db.log.purge(keeping: .init(bytes: 14)) == 1)
    let left = try db.log.entries(after: entries[7].position)
    #expect(try keys(left) == [8, 9])
    try db.execute("UPDATE apus_log_entry SET time = 0 WHERE sequence = \(entries[8].sequence)")
    #expect(try db.log.purge(keeping: .init(age: .seconds(3600))) == 1)
    #expect(try db.log.purge(keeping: .init(count: 0)) == 1)
    try db.insert(Shelf(id: 10, name: ""))
    let next = try #require(try cursor.next().first)
    #expect(next.sequence > entries[9].sequence)
    #expect(try keys([next]) == [10])
  }

  @Test("an age beyond the times that a log can have keeps all entries, or none")
  func extremeAges() throws {
    let db = try database(3)
    let found = try db.log.purge(keeping: .init(age: .seconds(Int64.max)))
    #expect(found == 0)
    let found2 = try keys(db.log.entries())
    #expect(found2 == [0, 1, 2])
    let found3 = try db.log.purge(keeping: .init(age: .seconds(-Int64.max)))
    #expect(found3 == 3)
  }

  @Test("a file with the least and the greatest number of an entry is read and purged")
  func extremeNumbers() throws {
    let db = try database(1)
    try db.execute("UPDATE apus_log_entry SET origin = 'x', originSequence = \(Int64.min)")
    let origin = try #require(try db.log.entries().first?.origin)
    #expect(origin.position.number == .max)
    try db.execute("UPDATE apus_log_entry SET time = 0, sequence = \(Int64.max)")
    let found = try db.log.purge(keeping: .init(age: .seconds(3600)))
    #expect(found == 1)
  }

  @Test("a reader that was left behind gets an error, never a gap that it cannot see")
  func expired() throws {
    let db = try database(6)
    let cursor = try db.log.cursor("slow")
    let entries = try cursor.next()
    try cursor.advance(past: entries[0])
    try db.log.purge(keeping: .init(count: 2), passingCursors: true)
    let error = LogError.expired(position: entries[0].position, purged: entries[3].position)
    #expect(throws: error) { try cursor.next() }
    #expect(throws: LogError.self) { try db.log.entries(after: 0) }
    #expect("\(error)".contains("copy the logged tables"))
    let position = try db.read { connection in
      #expect(try connection.count(Shelf.all) == 6)
      return try connection.logPosition()
    }
    #expect(try db.log.cursor("slow", startingAfter: position).next().isEmpty)
    try db.insert(Shelf(id: 6, name: ""))
    #expect(try keys(cursor.next()) == [6])
    // A cursor that is created after purging begins with what is left.
    #expect(try keys(db.log.cursor("new").next()) == [4, 5, 6])
  }

  @Test("the entry of the running write is not read")
  func running() throws {
    let db = try database(1)
    try db.write { tx in
      try tx.insert(Shelf(id: 5, name: ""))
      #expect(try keys(tx.logEntries()) == [0])
    }
    #expect(try keys(db.log.entries()) == [0, 5])
  }
}
