import ApusHistory
import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@Suite("Batches that would make a database unwritable")
struct MalformedBatchTests {
  private struct Note: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var text: String
    static var schema: Schema<Note> { Logged() }
  }

  /// The last microsecond of the year 9999.
  private static let last: Int64 = 253_402_300_799_999_999

  private func database() throws -> Database { try .temporary(models: [Note.self]) }

  @discardableResult
  private func send(from source: Database, to target: Database) throws -> Int {
    let position = try target.log.appliedPosition(of: source.log.identity)
    let data = try JSONEncoder().encode(source.log.batch(after: position))
    let batch = try JSONDecoder().decode(LogBatch.self, from: data)
    return try target.log.apply(batch, resolving: .newer).count
  }

  /// A batch with one transaction, which inserts a row.
  private func batch(time: Int64 = 5, table: String = "Note") throws -> LogBatch {
    let json = """
      {"source": "other", "start": 0, "end": 1, "isRelaying": false, "transactions": [{"database": \
      "other", "sequence": 1, "time": \(time), "changes": [{"table": "\(table)", "columns": \
      ["id", "text"], "key": [0], "kind": "insert", "keyValues": [{"i": "7"}], \
      "old": [null, null], "new": [{"i": "7"}, {"t": "other"}]}]}]}
      """
    return try JSONDecoder().decode(LogBatch.self, from: Data(json.utf8))
  }

  @Test("a time before 1970 or after the year 9999 is refused")
  func times() throws {
    for time in [Int64.min, -1, Self.last + 1, Int64.max] {
      #expect(throws: DecodingError.self) { try batch(time: time) }
    }
    let found = try batch(time: 0).transactions.map(\.time)
    #expect(found == [0])
  }

  @Test("a change of a table of the log is refused")
  func ownTables() throws {
    for table in ["apus_log", "APUS_LOG_ENTRY", "apus_log_change", "apus_log_applied"] {
      #expect(throws: DecodingError.self) { try batch(table: table) }
    }
  }

  @Test("after the latest time, a database writes on, and others accept what it writes")
  func latestTime() throws {
    let (a, b) = (try database(), try database())
    let found = try a.log.apply(batch(time: Self.last)).count
    #expect(found == 1)
    for id in 1...2 { try a.insert(Note(id: id, text: "a")) }
    try a.execute("UPDATE Note SET text = 'b' WHERE id = 1")
    let found2 = try send(from: a, to: b)
    #expect(found2 == 3)
    let found3 = try b.fetch(Note.order { $0.$id }).map(\.text)
    #expect(found3 == ["b", "a"])
    try b.insert(Note(id: 3, text: "c"))
    let found4 = try send(from: b, to: a)
    #expect(found4 == 1)
    let found5 = try a.fetch(Int.self, "SELECT id FROM Note ORDER BY id")
    #expect(found5 == [1, 2, 3, 7])
  }

  @Test("a file in which an entry has too late a time is written again after an opening")
  func formerTime() throws {
    let (a, b) = (try database(), try database())
    try a.insert(Note(id: 1, text: "one"))
    try a.execute("UPDATE apus_log_entry SET time = \(Int64.max)")
    #expect(throws: DatabaseError.self) { try a.insert(Note(id: 2, text: "two")) }
    let later = try Database(path: try #require(a.path), models: [Note.self])
    try later.insert(Note(id: 2, text: "two"))
    let found = try later.log.apply(batch()).count
    #expect(found == 1)
    try later.insert(Note(id: 3, text: "three"))
    let found2 = try send(from: later, to: b)
    #expect(found2 == 3)
    let found3 = try b.fetch(Int.self, "SELECT id FROM Note ORDER BY id")
    #expect(found3 == [1, 2, 3])
  }
}
