import ApusHistory
import ChangeObservation
import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

/// A batch may change only rows of logged tables, and only the rows that it names.
@Suite("Batches that change more than logged rows")
struct HostileBatchTests {
  private struct Note: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var text: String
    static var schema: Schema<Note> { Logged() }
  }

  private struct Part: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var note: Int
    static var schema: Schema<Part> {
      Logged()
      ForeignKey(\.$note, references: \Note.$id)
    }
  }

  /// A model that is not logged.
  private struct Account: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var isAdmin: Bool
  }

  private func database() throws -> Database {
    try .temporary(models: [Note.self, Part.self, Account.self])
  }

  private func batch(_ change: String) throws -> LogBatch {
    let json = """
      {"source": "other", "start": 0, "end": 1, "isRelaying": false, "transactions": [{"database": \
      "other", "sequence": 1, "time": 5, "changes": [\(change)]}]}
      """
    return try JSONDecoder().decode(LogBatch.self, from: Data(json.utf8))
  }

  @Test("a table that is not logged here is not changed")
  func unlogged() throws {
    let db = try database()
    try db.insert(Account(id: 1, isAdmin: false))
    let changes = try batch(
      """
      {"table": "Account", "columns": ["id", "isAdmin"], "key": [0], "kind": "update", \
      "keyValues": [{"i": "1"}], "old": [{"i": "1"}, {"i": "0"}], "new": [{"i": "1"}, {"i": "1"}]}
      """)
    let report = try db.log.apply(changes, resolving: .newer)
    let found = try db.find(Account.self, 1)?.isAdmin
    #expect(found == false)
    #expect(report.waiting.reasons == [.table("Account"): 1])
  }

  @Test("tables of the library are not changed")
  func ownTables() throws {
    let db = try database()
    // Creates the table `apus_write` of keyed writes.
    try db.write(id: "first") { tx in _ = try tx.insert(Note(id: 1, text: "one")) }
    let forged = try batch(
      """
      {"table": "apus_write", "columns": ["id", "time", "value"], "key": [0], "kind": "insert", \
      "keyValues": [{"t": "second"}], "old": [null, null, null], \
      "new": [{"t": "second"}, {"i": "1"}, {}]}
      """)
    try db.log.apply(forged, resolving: .newer)
    let found = try db.fetch(Int.self, "SELECT count(*) FROM apus_write")
    #expect(found == [1])
    // The same holds for `apus_schema`, once a migration has created it: a forged row with a high
    // `version` makes each opening refuse the file as newer than the program.
  }

  @Test("the key of a change is that of the row which it writes")
  func otherKey() throws {
    for new in [#"[{"i": "8"}, {"i": "99"}]"#, #"[null, {"i": "99"}]"#] {
      #expect(throws: DecodingError.self) {
        let changes = try batch(
          """
          {"table": "Part", "columns": ["id", "note"], "key": [0], "kind": "insert", \
          "keyValues": [{"i": "7"}], "old": [null, null], "new": \(new)}
          """)
        let db = try database()
        try db.log.apply(changes, resolving: .newer)
        let found = try db.rows("PRAGMA foreign_key_check").isEmpty
        #expect(found)
      }
    }
  }
}
