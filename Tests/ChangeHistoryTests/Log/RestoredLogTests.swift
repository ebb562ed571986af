import ApusHistory
import ChangeObservation
import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

/// A file that is restored or copied gives the numbers of its log to other transactions.
@Suite("Change logs of restored and copied files")
struct RestoredLogTests {
  struct Note: Model, Equatable {
    @PrimaryKey var id = Unique64()
    @Column var text: String

    static var schema: Schema<Note> { Logged() }
  }

  func database() throws -> Database { try .temporary(models: [Note.self]) }

  func texts(_ db: Database) throws -> [String] {
    try db.fetch(Note.order { $0.$id }.select { $0.$text })
  }

  func insert(_ texts: String..., into db: Database) throws {
    for text in texts { try db.insert(Note(text: text)) }
  }

  /// Sends everything that the target lacks, as JSON.
  @discardableResult
  func send(
    from source: Database, to target: Database, relaying: Bool = false
  ) throws -> Int {
    var count = 0
    while true {
      let position = try target.log.appliedPosition(of: source.log.identity, relaying: relaying)
      let batch = try source.log.batch(after: position, limit: 2, relaying: relaying)
      guard batch.end != position else { return count }
      let data = try JSONEncoder().encode(batch)
      let received = try JSONDecoder().decode(LogBatch.self, from: data)
      #expect(received == batch)
      count += try target.log.apply(received, resolving: .newer).count
    }
  }

  func epochs(_ db: Database) throws -> [Int64] {
    try db.fetch(Int64.self, "SELECT first FROM apus_log_epoch ORDER BY first")
  }

  func expectUnknown(
    _ position: LogPosition, in db: Database, _ body: () throws -> Void
  ) throws {
    let error = LogError.unknownPosition(
      position, newest: try db.read { try $0.logPosition() }, database: try db.log.identity)
    #expect(throws: error) { try body() }
    #expect("\(error)".contains("\(position)") && "\(error)".contains("restored"))
  }

  @Test("a restore into an open database is noticed by readers, cursors, histories and peers")
  func restored() throws {
    let (a, b, saved) = (try database(), try database(), try Database.temporary())
    try insert("one", into: a)
    try send(from: a, to: b)
    try a.backup(to: saved)
    try insert("two", "three", into: a)
    try send(from: a, to: b)
    let cursor = try a.log.cursor("mail")
    let entries = try a.log.entries()
    let last = try #require(entries.last)
    let history = try History(of: [Note.self], inLogOf: a)
    let step = try #require(try history.steps().undoable.last)
    try saved.backup(to: a)
    // Before anything is written, and after the numbers have passed.
    for texts in [[], ["four"], ["five"], ["six", "seven"]] {
      for text in texts { try insert(text, into: a) }
      try expectUnknown(last.position, in: a) { _ = try a.log.entries(after: last.position) }
      try expectUnknown(last.position, in: a) {
        _ = try a.read { try $0.logEntries(after: last.position) }
      }
      try expectUnknown(last.position, in: a) { _ = try a.log.batch(after: last.position) }
      try expectUnknown(last.position, in: a) {
        _ = try a.log.cursor("other", startingAfter: last.position)
      }
      try expectUnknown(last.position, in: a) { _ = try history.steps() }
      try expectUnknown(last.position, in: a) { _ = try history.undo() }
      try expectUnknown(last.position, in: a) { _ = try history.undo(step) }
      try expectUnknown(last.position, in: a) { try send(from: a, to: b) }
      // Another history must not take a new transaction for the step with its number.
      let created = try History(of: [Note.self], inLogOf: a)
      try expectUnknown(last.position, in: a) { _ = try created.undo(step) }
      try expectUnknown(last.position, in: a) { _ = try created.redo(step) }
      try expectUnknown(last.position, in: a) { _ = try created.skip(step) }
    }
    // The cursor was created after the backup.
    #expect(throws: LogError.unknownCursor("mail")) { try cursor.advance(past: last) }
    let created = try a.log.cursor("mail")
    try expectUnknown(last.position, in: a) { try created.advance(past: last) }
    #expect(try created.next().map(\.sequence) == [1, 2, 3, 4, 5])
    #expect(try created.next().map(\.position) != entries.map(\.position))
    // The log still has the positions from before the backup.
    #expect(try a.log.entries(after: entries[0].position).count == 4)
    #expect(try texts(a) == ["one", "four", "five", "six", "seven"])
    #expect(try History(of: [Note.self], inLogOf: a).steps().undoable.count == 5)
    #expect(try epochs(a) == [1, 2])
    let restored = try History(of: [Note.self], inLogOf: a)
    let own = try #require(restored.steps().undoable.first { $0.id == step.id })
    try restored.undo(own)
    try expectUnknown(last.position, in: a) { _ = try restored.redo(step) }
    #expect(try restored.redo(own)?.step == own)
  }

  @Test(
    "a follower of the log notices that the file was restored, even if the numbers are the same")
  func followers() async throws {
    let (db, saved) = (try database(), try Database.temporary())
    try await db.insert(Note(text: "one"))
    try await db.backup(to: saved)
    try await db.insert(Note(text: "two"))
    let cursor = try await db.log.cursor("mail")
    let first = try await db.log.entries()[0].position
    for start in [LogPosition.start, first] {
      var follower = db.log.observe(after: start).makeAsyncIterator()
      var texts: [String] = []
      while texts.last != "two" {
        let entry = try #require(try await follower.next())
        texts += try entry.changes(of: Note.self).compactMap { try $0.new(\.$text) }
      }
      let last = try await db.read { try $0.logPosition() }
      try await saved.backup(to: db)
      try await db.insert(Note(text: "two"))
      #expect(try await db.read { try $0.logPosition().number } == last.number)
      do {
        _ = try await follower.next()
        Issue.record("the follower continued")
      } catch let error as LogError {
        guard case .unknownPosition(last, _, _) = error else { throw error }
      }
      await #expect(throws: LogError.self) { try await db.log.entries(after: last) }
      await #expect(throws: LogError.unknownCursor("mail")) { try await cursor.position() }
      await #expect(throws: LogError.self) {
        try await db.log.cursor("other", startingAfter: last)
      }
    }
  }

  @Test("an exchange with a restored database begins again, and gives back what it has lost")
  func exchangeAfterRestore() throws {
    let (a, b, c) = (try database(), try database(), try database())
    let saved = try Database.temporary()
    try insert("one", into: a)
    try send(from: a, to: b)
    try send(from: a, to: c)
    try a.backup(to: saved)
    try insert("two", "three", into: a)
    try send(from: a, to: b)
    try insert("of b", into: b)
    try send(from: b, to: a)
    try saved.backup(to: a)
    try insert("four", "five", into: a)
    let identity = try a.log.identity
    let lost = try b.log.appliedPosition(of: identity)
    // The batch that the restored database offers does not follow what was applied.
    let common = try #require(try a.log.entries().first).position
    let batch = try a.log.batch(after: common)
    #expect(throws: LogError.unknownPosition(lost, newest: batch.end, database: identity)) {
      try b.log.apply(batch, resolving: .newer)
    }
    #expect(try texts(b) == ["one", "two", "three", "of b"])
    try b.write { try $0.setAppliedLogPosition(.start, of: identity) }
    #expect(try send(from: a, to: b) == 2)
    // The lost transactions of its own come back, and are sent to a database that never had them.
    #expect(try send(from: b, to: a, relaying: true) == 3)
    #expect(try send(from: a, to: c) == 4)
    #expect(try send(from: b, to: c) == 1)
    for (source, target) in [(a, b), (b, a), (a, c), (c, a), (b, c), (c, b)] {
      for relaying in [false, true] {
        #expect(try send(from: source, to: target, relaying: relaying) == 0)
      }
    }
    for db in [a, b, c] {
      #expect(try Set(texts(db)) == ["one", "two", "three", "of b", "four", "five"])
    }
    #expect(try b.log.appliedPosition(of: identity) == a.read { try $0.logPosition() })
  }

  @Test("a copy of a file continues in an epoch of its own, however it was made")
  func copies() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func path(_ name: String) -> String { folder.appending(path: name).path }
    let original = try Database(path: path("original"), models: [Note.self])
    try insert("one", "two", into: original)
    let common = try original.read { try $0.logPosition() }
    try original.vacuum(into: path("vacuum"))
    try original.backup(to: path("backup"))
    try insert("three", into: original)
    let last = try original.read { try $0.logPosition() }
    try original.close()
    try FileManager.default.copyItem(atPath: path("original"), toPath: path("copy"))
    let reopened = try Database(path: path("original"), models: [Note.self])
    try insert("four", into: reopened)
    let later = try reopened.read { try $0.logPosition() }
    var positions: Set<LogPosition> = [later]
    for name in ["vacuum", "backup", "copy"] {
      let copy = try Database(path: path(name), models: [Note.self])
      #expect(try copy.log.entries(after: common).count == (name == "copy" ? 1 : 0))
      try insert("four", "five", "six", into: copy)
      #expect(try copy.log.entries(after: common).count == (name == "copy" ? 4 : 3))
      if name != "copy" {
        try expectUnknown(last, in: copy) { _ = try copy.log.entries(after: last) }
      }
      try expectUnknown(later, in: copy) { _ = try copy.log.entries(after: later) }
      positions.insert(try copy.read { try $0.logPosition() })
    }
    #expect(positions.count == 4)
    #expect(try epochs(reopened) == [1, 4])
  }

  @Test(
    "a restore by another program is noticed by a database that has the file open", .blocking,
    .enabled(if: SQLiteShell.installed != nil, "the sqlite3 shell is not installed"))
  func restoredByShell() throws {
    let shell = try #require(SQLiteShell.installed)
    let (db, saved) = (try database(), try Database.temporary())
    let reader = try Database(path: try #require(db.path), models: [Note.self])
    try insert("one", into: db)
    try db.backup(to: saved)
    try insert("two", "three", into: db)
    let last = try db.read { try $0.logPosition() }
    _ = try shell.run(".restore \(try #require(saved.path))", on: #require(db.path))
    try insert("four", "five", "six", into: db)
    #expect(try texts(reader) == ["one", "four", "five", "six"])
    try expectUnknown(last, in: reader) { _ = try reader.log.entries(after: last) }
  }

  @Test("an epoch begins with the first write that is not rolled back, and once")
  func rolledBack() throws {
    struct Failure: Error {}
    let db = try database()
    try insert("one", into: db)
    let path = try #require(db.path)
    let reopened = try Database(path: path, models: [Note.self])
    #expect(try epochs(db) == [1])
    for _ in 0..<2 {
      #expect(throws: Failure.self) {
        try reopened.write { tx in
          try tx.insert(Note(text: "lost"))
          throw Failure()
        }
      }
    }
    #expect(try epochs(db) == [1])
    try insert("two", into: reopened)
    #expect(try epochs(db) == [1, 2])
    for text in ["three", "four", "five"] { try insert(text, into: reopened) }
    #expect(throws: Failure.self) { try reopened.write { _ in throw Failure() } }
    try reopened.write(label: "six") { try $0.insert(Note(text: "six")) }
    #expect(try epochs(db) == [1, 2])
    // Two openings of one file share the newest epoch.
    try insert("seven", into: db)
    #expect(try epochs(db) == [1, 2])
    #expect(try db.log.entries().map(\.position) == reopened.log.entries().map(\.position))
    #expect(try Set(db.log.entries().map(\.position)).count == 7)
    // An opening that writes nothing begins none; one that logs nothing leaves none behind.
    for _ in 0..<3 {
      let other = try Database(path: path, models: [Note.self])
      #expect(try other.count(Note.all) == 7)
      try other.execute("CREATE TABLE IF NOT EXISTS Other (id INTEGER PRIMARY KEY)")
      try other.execute("INSERT INTO Other DEFAULT VALUES")
    }
    #expect(try epochs(db) == [1, 2, 8])
  }

  @Test("a write runs no statement for an epoch that is noted")
  func statements() throws {
    let seen = Lock<[String]>([])
    var configuration = Configuration()
    configuration.onStatement = { event in
      let sql = event.sql ?? ""
      // The mark of the ids moves with the time, twice a second at most.
      guard !sql.contains("apus_unique64") else { return }
      seen.withLock { $0.append(sql) }
    }
    let db = try Database.temporary(models: [Note.self], configuration: configuration)
    try insert("one", "two", into: db)
    seen.withLock { $0 = [] }
    for text in ["three", "four"] { try db.write { try $0.insert(Note(text: text)) } }
    let kinds = seen.withLock { $0 }.map { $0.split(separator: " ").first.map(String.init) ?? "" }
    let write = ["BEGIN", "UPDATE", "INSERT", "UPDATE", "COMMIT"]
    #expect(kinds.filter { $0 != "--" } == write + write)
  }

  @Test("a file from before epochs continues, and its positions and batches stay valid")
  func olderFile() throws {
    let (a, b) = (try database(), try database())
    try insert("one", "two", into: a)
    try send(from: a, to: b)
    for db in [a, b] {
      let stranger = try Database(path: try #require(db.path))
      try stranger.execute("DROP TABLE apus_log_epoch")
      try stranger.execute("ALTER TABLE apus_log_entry DROP COLUMN originEpoch")
    }
    let stranger = try Database(path: try #require(b.path))
    try stranger.execute("UPDATE apus_log_origin SET sequence = position")
    try stranger.execute("ALTER TABLE apus_log_origin DROP COLUMN positionEpoch")
    try stranger.execute("ALTER TABLE apus_log_origin DROP COLUMN relayedEpoch")
    try stranger.execute("DROP TABLE apus_log_applied")
    let identity = try a.log.identity
    #expect(try a.read { try $0.logPosition() } == 2)
    #expect(try b.log.entries().map(\.origin?.position) == [1, 2])
    #expect(try b.log.appliedPosition(of: identity) == 2)
    let old = try a.log.batch(after: 0)
    let (first, second) = (
      try Database(path: try #require(a.path), models: [Note.self]),
      try Database(path: try #require(b.path), models: [Note.self])
    )
    try insert("three", into: first)
    #expect(try epochs(first) == [1, 3])
    #expect(try first.log.entries().map(\.position).prefix(2) == [1, 2])
    #expect(try first.log.entries(after: 2).count == 1)
    try expectUnknown(3, in: first) { _ = try first.log.entries(after: 3) }
    #expect(try send(from: first, to: second) == 1)
    #expect(try second.log.apply(old).count == 0)
    try insert("of b", into: second)
    #expect(try send(from: second, to: first) == 1)
    #expect(try texts(first) == texts(second))
    #expect(try send(from: first, to: second, relaying: true) == 0)
    // A batch that a program without epochs has sent.
    let json = """
      {"source": "old", "start": 0, "end": 4, "isRelaying": false, "transactions": [{"database": \
      "old", "sequence": 3, "time": 5, "changes": [{"table": "Note", "columns": ["id", "text"], \
      "key": [0], "kind": "insert", "keyValues": [{"i": "7"}], "old": [null, null], \
      "new": [{"i": "7"}, {"t": "old"}]}]}]}
      """
    let received = try JSONDecoder().decode(LogBatch.self, from: Data(json.utf8))
    #expect(received.end == 4)
    #expect(try second.log.apply(received).count == 1)
    #expect(try second.log.apply(received).count == 0)
    #expect(try second.log.appliedPosition(of: "old") == 4)
    #expect(try second.log.entries().last?.origin?.position == 3)
  }

  @Test("another program that writes the file belongs to the newest epoch")
  func otherPrograms() throws {
    let db = try database()
    try insert("one", into: db)
    let stranger = try Database(path: try #require(db.path))
    try stranger.execute("INSERT INTO Note VALUES (5, 'two')")
    let entries = try db.log.entries()
    #expect(try epochs(db) == [1])
    #expect(try db.log.entries(after: entries[1].position).isEmpty)
    // A new opening that ends an entry takes it into its epoch, since no reader has read it yet.
    try stranger.execute("INSERT INTO Note VALUES (6, 'three')")
    let reopened = try Database(path: try #require(db.path), models: [Note.self])
    #expect(try reopened.log.entries(after: entries[1].position).count == 1)
    #expect(try epochs(db) == [1, 3])
    #expect(try db.log.entries(after: entries[1].position).count == 1)
  }
}
