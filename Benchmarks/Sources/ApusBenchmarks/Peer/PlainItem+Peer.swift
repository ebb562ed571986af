import Foundation
import GRDB

/// Makes the item a record that is read by index and written by position, the fastest kind in GRDB.
extension PlainItem: FetchableRecord, PersistableRecord {
  static var databaseTableName: String { "Item" }

  init(row: Row) {
    self.init(
      id: row[0], title: row[1], body: row[2], score: row[3], count: row[4], flag: row[5],
      createdAt: Date(timeIntervalSince1970: Double(row[6] as Int64) / 1_000_000),
      payload: row[7])
  }

  func encode(to container: inout PersistenceContainer) {
    container["id"] = id
    container["title"] = title
    container["body"] = body
    container["score"] = score
    container["count"] = count
    container["flag"] = flag
    container["createdAt"] = microseconds
    container["payload"] = payload
  }

  /// The values for the parameters 1 to 8.
  var arguments: StatementArguments {
    [id, title, body, score, count, flag, microseconds, payload]
  }

  private var microseconds: Int64 {
    Int64((createdAt.timeIntervalSince1970 * 1_000_000).rounded())
  }
}
