import Foundation
import GRDB

/// The item as a record of the peer, GRDB, with the `Codable` conformance that the compiler
/// generates.
struct CodableItem: Codable, FetchableRecord, PersistableRecord, Sendable {
  static var databaseTableName: String { "Item" }

  var id: Int64
  var title: String
  var body: String?
  var score: Double
  var count: Int64
  var flag: Bool
  var createdAt: Date
  var payload: Data?

  init(_ item: PlainItem) {
    id = item.id
    title = item.title
    body = item.body
    score = item.score
    count = item.count
    flag = item.flag
    createdAt = item.createdAt
    payload = item.payload
  }

  /// Dates are stored as microseconds since 1970, as on the other sides.
  static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
    .custom { value in
      Int64.fromDatabaseValue(value).map {
        Date(timeIntervalSince1970: Double($0) / 1_000_000)
      }
    }
  }

  static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
    .custom { Int64(($0.timeIntervalSince1970 * 1_000_000).rounded()) }
  }
}
