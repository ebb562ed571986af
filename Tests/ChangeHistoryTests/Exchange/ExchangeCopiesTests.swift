import ApusHistory
import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

/// A database must copy the rows of the other one if their changes are not in its log.
@Suite("Exchanges that need a copy of the rows, and copies of a file")
struct ExchangeCopiesTests {
  private enum Former {
    struct Note: Model {
      @PrimaryKey var id: Int
      @Column var text: String
    }
  }

  private struct Note: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var text: String

    static var schema: Schema<Note> { Logged() }
  }

  private func database() throws -> Database { try .temporary(models: [Note.self]) }

  @discardableResult
  private func send(
    from source: Database, to target: Database, resolving policy: ConflictPolicy = .newer
  ) throws -> Int {
    let start = try target.log.appliedPosition(of: source.log.identity)
    let batch = try source.log.batch(after: start)
    let data = try JSONEncoder().encode(batch)
    let received = try JSONDecoder().decode(LogBatch.self, from: data)
    #expect(received == batch)
    return try target.log.apply(received, resolving: policy).count
  }

  /// Copies all rows, as they are at a position of the source's log.
  private func copy(from source: Database, to target: Database) throws {
    let identity = try source.log.identity
    let (notes, position) = try source.read { (try $0.fetch(Note.all), try $0.logPosition()) }
    try target.write { tx in
      for note in notes { try tx.save(note) }
      try tx.setAppliedLogPosition(position, of: identity)
    }
  }

  @Test("a log that lacks earlier changes stops the exchange there, until the rows were copied")
  func gap() throws {
    let (a, b) = (try Database.temporary(models: [Former.Note.self]), try database())
    try a.insert(Former.Note(id: 1, text: "before the log"))
    try a.migrate([Note.self])
    try a.insert(Note(id: 2, text: "logged"))
    let identity = try a.log.identity
    let first = try a.log.batch(after: 0)
    let gap = try #require(first.gap)
    #expect(gap.tables == ["Note"] && gap.position.number == 1)
    let error = #expect(throws: LogError.self) { try send(from: a, to: b) }
    #expect(error == .incomplete(source: identity, tables: ["Note"], position: gap.position))
    #expect("\(try #require(error))".contains("copy these tables"))
    #expect(try b.log.entries().isEmpty && b.log.appliedPosition(of: identity) == 0)
    try copy(from: a, to: b)
    try a.insert(Note(id: 3, text: "later"))
    #expect(try send(from: a, to: b) == 1)
    #expect(try b.fetch(Int.self, "SELECT id FROM Note ORDER BY id") == [1, 2, 3])
    // An old batch is passed over as a whole.
    #expect(try b.log.apply(first).count == 0)
  }

  @Test("a batch ends before a gap, so that the transactions before it are applied")
  func gapBetween() throws {
    let (a, b) = (try database(), try database())
    try a.insert(Note(id: 1, text: "logged"))
    try a.execute("DROP TRIGGER Note_log_insert")
    try a.insert(Note(id: 2, text: "not logged"))
    try a.migrate([Note.self])
    try a.insert(Note(id: 3, text: "logged again"))
    #expect(try a.log.entries().map(\.gap) == [nil, "Note", nil])
    #expect(try send(from: a, to: b) == 1)
    let identity = try a.log.identity
    let gap = try a.log.entries()[1].position
    #expect(throws: LogError.incomplete(source: identity, tables: ["Note"], position: gap)) {
      try send(from: a, to: b)
    }
    // Only the position says that this database has the change already.
    try b.insert(Note(id: 2, text: "not logged"))
    try b.write { try $0.setAppliedLogPosition(gap, of: identity) }
    #expect(try send(from: a, to: b) == 1)
    #expect(try b.fetch(Note.all) == a.fetch(Note.all))
  }

  @Test("an exchange continues after a purge with a copy of the rows")
  func purged() throws {
    let (a, b) = (try database(), try database())
    for id in 1...3 { try a.insert(Note(id: id, text: "a")) }
    let purged = try a.log.entries(after: 0, limit: 2)[1].position
    try a.log.purge(keeping: .init(count: 1))
    #expect(throws: LogError.expired(position: 0, purged: purged)) { try send(from: a, to: b) }
    try copy(from: a, to: b)
    try a.execute("UPDATE Note SET text = 'b' WHERE id = 1")
    #expect(try send(from: a, to: b) == 1)
    #expect(try b.fetch(Note.order { $0.$id }) == a.fetch(Note.order { $0.$id }))
    #expect(throws: LogError.noLog) {
      try Database.temporary().write { try $0.setAppliedLogPosition(1, of: "a") }
    }
  }

  @Test("a file and its copy exchange transactions when the copy has an identity of its own")
  func copiedFile() throws {
    let (a, c) = (try database(), try database())
    for id in 1...3 { try a.insert(Note(id: id, text: "a")) }
    try send(from: a, to: c)
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "copy.sqlite").path
    try a.backup(to: path)
    let b = try Database(path: path, models: [Note.self])
    let former = try a.log.identity
    #expect(try b.log.identity == former)
    #expect(throws: LogError.sameIdentity(former)) { try send(from: a, to: b) }
    #expect("\(LogError.sameIdentity(former))".contains("renewIdentity()"))
    let renewed = try b.log.renewIdentity()
    #expect(try renewed != former && b.log.identity == renewed && a.log.identity == former)
    // The copy has what the file had: it is neither applied again nor sent.
    #expect(try b.log.appliedPosition(of: former) == a.read { try $0.logPosition() })
    #expect(try b.log.entries().map(\.origin?.database) == [former, former, former])
    #expect(try b.log.entries().map(\.origin?.sequence) == [1, 2, 3])
    #expect(try send(from: a, to: b) == 0)
    #expect(try send(from: b, to: a) == 0)
    #expect(try send(from: b, to: c) == 0)
    try a.insert(Note(id: 4, text: "a"))
    try b.insert(Note(id: 5, text: "b"))
    try b.execute("UPDATE Note SET text = 'c' WHERE id = 1")
    #expect(try send(from: a, to: b) == 1)
    #expect(try send(from: b, to: a) == 2)
    #expect(try send(from: a, to: c) == 1)
    #expect(try send(from: b, to: c) == 2)
    let notes = try a.fetch(Note.order { $0.$id })
    #expect(notes.map(\.text) == ["c", "a", "a", "a", "b"])
    for db in [b, c] { #expect(try db.fetch(Note.order { $0.$id }) == notes) }
    try b.close()
  }

  @Test("a database without a log has no identity to renew")
  func noLog() throws {
    let db = try Database.temporary()
    #expect(throws: LogError.noLog) { try db.log.renewIdentity() }
  }
}
