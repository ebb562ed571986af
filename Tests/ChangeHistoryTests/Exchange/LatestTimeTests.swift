import ApusHistory
import ChangeObservation
import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

/// After a transaction of the latest time, all times are equal, and epochs are random.
@Suite("Transactions after the latest time")
struct LatestTimeTests {
  private struct Note: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var text: String
    static var schema: Schema<Note> { Logged() }
  }

  @Test("the transactions of one database keep their order, also after an opening")
  func epochs() throws {
    let (a, b) = (
      try Database.temporary(models: [Note.self]), try Database.temporary(models: [Note.self])
    )
    let json = """
      {"source": "other", "start": 0, "end": 1, "isRelaying": false, "transactions": [{"database": \
      "other", "sequence": 1, "time": 253402300799999999, "changes": [{"table": "Note", \
      "columns": ["id", "text"], "key": [0], "kind": "insert", "keyValues": [{"i": "7"}], \
      "old": [null, null], "new": [{"i": "7"}, {"t": "other"}]}]}]}
      """
    try a.log.apply(JSONDecoder().decode(LogBatch.self, from: Data(json.utf8)), resolving: .newer)
    try a.insert(Note(id: 1, text: "0"))
    let path = try #require(a.path)
    for number in 1...12 {
      let db = try Database(path: path, models: [Note.self])
      try db.execute("UPDATE Note SET text = \("\(number)") WHERE id = 1")
      try db.close()
    }
    try b.log.apply(a.log.batch(after: .start), resolving: .newer)
    let found = try b.find(Note.self, 1)?.text
    #expect(found == "12")
  }
}
