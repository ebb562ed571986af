import Foundation
import SQLCore
import TestRun
import Testing

@Suite("Sessions", .needs(.sessions))
struct SessionTests {
  private let source: Connection
  private let target: Connection
  private static let schema: SQL =
    "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT); CREATE TABLE other (id INTEGER PRIMARY KEY)"

  init() throws {
    source = try Connection()
    target = try Connection()
    for connection in [source, target] {
      try connection.execute(Self.schema)
      try connection.execute("INSERT INTO note VALUES (1, 'one'), (2, 'two'), (3, 'three')")
    }
  }

  private func notes(_ connection: Connection) throws -> [[DatabaseValue]] {
    try connection.rows("SELECT * FROM note ORDER BY id").map(\.values)
  }

  private func change(_ session: Session) throws -> Changeset {
    try source.execute(
      """
      INSERT INTO note VALUES (4, 'four');
      UPDATE note SET text = 'TWO' WHERE id = 2;
      DELETE FROM note WHERE id = 3
      """)
    return try session.changeset()
  }

  @Test("recorded changes can be applied to a second database and inverted")
  func roundTrip() throws {
    let before = try notes(source)
    let session = try source.session()
    #expect(try session.isEmpty)
    let changes = try change(session)
    #expect(try !session.isEmpty)
    try target.apply(changes)
    #expect(try notes(target) == [[1, "one"], [2, "TWO"], [4, "four"]])
    #expect(try notes(target) == notes(source))
    try target.apply(changes.inverted())
    #expect(try notes(target) == before)
  }

  @Test("recorded changes can be read and combined")
  func records() throws {
    let session = try source.session(tables: ["note"])
    try source.execute("INSERT INTO other VALUES (1)")
    let first = try change(session)
    let records = try first.changes()
    #expect(Set(records.map(\.kind)) == [.insert, .update, .delete])
    let update = try #require(records.first { $0.kind == .update })
    #expect(update.table == "note" && update.isKey == [true, false] && !update.isIndirect)
    #expect(update.old == [2, "two"])
    #expect(update.new == [DatabaseValue?.none, "TWO"])
    try session.end()
    let second = try source.session()
    try source.execute("DELETE FROM note WHERE id = 4")
    let sum = try first.appending(second.changeset())
    #expect(try sum.changes().map(\.kind).contains(.insert) == false)
    try target.apply(sum)
    #expect(try notes(target) == notes(source))
    #expect(!first.isEmpty && Changeset(bytes: Data()).isEmpty)
    #expect(throws: DatabaseError.self) { try Changeset(bytes: Data([1, 2, 3])).changes() }
    #expect(throws: DatabaseError.self) { try target.apply(Changeset(bytes: Data([1, 2, 3]))) }
  }

  @Test(
    "a patchset is smaller and cannot be inverted, and recording can pause or be indirect")
  func patchset() throws {
    let session = try source.session()
    try session.setEnabled(false)
    try source.execute("INSERT INTO note VALUES (10, 'unrecorded')")
    try session.setEnabled(true)
    try session.setIndirect(true)
    try source.execute("DELETE FROM note WHERE id = 1")
    try session.setIndirect(false)
    let patch = try session.patchset()
    #expect(try patch.bytes.count < session.changeset().bytes.count)
    #expect(try session.changeset().changes().map(\.isIndirect) == [true])
    try target.apply(patch)
    #expect(try notes(target) == [[2, "two"], [3, "three"]])
    #expect(throws: DatabaseError.self) { try patch.inverted() }
  }

  @Test("conflict handlers omit, replace and abort, and their errors are thrown")
  func conflicts() throws {
    let changes = try change(source.session())
    try target.execute(
      "INSERT INTO note VALUES (4, 'mine'); UPDATE note SET text = 'due' WHERE id = 2; DELETE FROM note WHERE id = 3"
    )
    let before = try notes(target)
    let abort = #expect(throws: DatabaseError.self) { try target.apply(changes) }
    #expect(abort?.code == .abort)
    #expect(try notes(target) == before)
    struct Stop: Error {}
    #expect(throws: Stop.self) { try target.apply(changes) { _ in throw Stop() } }
    #expect(try notes(target) == before)
    var seen: [ChangesetConflict.Reason] = []
    try target.apply(changes) { conflict in
      seen.append(conflict.reason)
      if conflict.reason == .exists { #expect(conflict.existing == [4, "mine"]) }
      if conflict.reason == .differs { #expect(conflict.existing == [2, "due"]) }
      return .omit
    }
    #expect(Set(seen) == [.exists, .differs, .notFound])
    #expect(try notes(target) == before)
    try target.apply(changes) { $0.reason == .notFound ? .omit : .replace }
    #expect(try notes(target) == notes(source))
    // Using the connection inside the handler is an error and no deadlock.
    try target.execute("DELETE FROM note")
    let misuse = #expect(throws: DatabaseError.self) {
      try target.apply(changes) { _ in
        try target.execute("SELECT 1")
        return .omit
      }
    }
    #expect(misuse?.code == .misuse)
    try target.apply(changes, tables: ["other"])
    #expect(try notes(target).isEmpty)
  }

  @Test("changes that leave a row without its parent are undone, and throw `.abort`")
  func foreignKeys() throws {
    for connection in [source, target] {
      try connection.execute("CREATE TABLE part (id INTEGER PRIMARY KEY, note REFERENCES note)")
    }
    let session = try source.session()
    try source.execute("INSERT INTO note VALUES (9, 'nine'); INSERT INTO part VALUES (1, 9)")
    let changes = try session.changeset()
    let error = #expect(throws: DatabaseError.self) { try target.apply(changes, tables: ["part"]) }
    #expect(error?.code == .abort)
    let found = try target.rows("SELECT * FROM part").isEmpty
    #expect(found)
  }

  @Test("a DELETE without WHERE that was prepared before the session is recorded row by row")
  func truncation() throws {
    let deletion: SQL = "DELETE FROM note"
    try source.execute(deletion)
    try source.execute("INSERT INTO note VALUES (1, 'one'), (2, 'two'), (3, 'three')")
    let session = try source.session()
    try source.execute(deletion)
    #expect(try session.changeset().changes().count == 3)
  }

  @Test("the difference between two attached databases is recorded")
  func difference() throws {
    try source.execute("ATTACH ':memory:' AS old")
    try source.execute("CREATE TABLE old.note (id INTEGER PRIMARY KEY, text TEXT)")
    try source.execute("INSERT INTO old.note VALUES (1, 'one'), (2, 'zwei')")
    let session = try source.session(tables: ["note"])
    try session.recordDifference(from: "old", table: "note")
    #expect(try Set(session.changeset().changes().map(\.kind)) == [.insert, .update])
    let error = #expect(throws: DatabaseError.self) {
      try session.recordDifference(from: "nowhere", table: "note")
    }
    #expect(error != nil)
  }

  @Test("a session and a pre-update listener exclude each other")
  func exclusion() throws {
    do {
      let session = try source.session()
      let error = #expect(throws: DatabaseError.self) { try source.onPreUpdate { _ in } }
      #expect(error?.code == .misuse)
      try source.execute("INSERT INTO note VALUES (5, 'five')")
      #expect(try session.changeset().changes().count == 1)
    }
    let listener = try source.onPreUpdate { _ in }
    let error = #expect(throws: DatabaseError.self) { try source.session() }
    #expect(error?.code == .misuse)
    try source.remove(listener)
    _ = try source.session()
  }

  @Test("a session in a write closure ends with it")
  func lease() throws {
    let db = try Database.temporary()
    try db.execute(Self.schema)
    var kept: Session?
    let changes = try db.write { tx -> Changeset in
      let session = try tx.session()
      kept = session
      try tx.execute("INSERT INTO note VALUES (9, 'nine')")
      return try session.changeset()
    }
    #expect(try changes.changes().count == 1)
    let error = #expect(throws: DatabaseError.self) { try kept?.changeset() }
    #expect(error?.code == .misuse)
    try db.onPreUpdate { _ in }
    try db.execute("INSERT INTO note VALUES (10, 'ten')")
    kept = nil
    try db.write { tx in try tx.apply(changes.inverted()) }
    #expect(try db.rows("SELECT id FROM note").map { $0[0] } == [10])
    #expect(throws: DatabaseError.self) { try db.read { try $0.apply(changes) } }
  }
}
