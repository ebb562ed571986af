import Apus
import Foundation

/// The model of all workloads: eight columns of the most common types, two of them optional.
struct Item: Model {
  @PrimaryKey var id: Int64
  @Column var title: String
  @Column var body: String?
  @Column var score: Double
  @Column var count: Int64
  @Column var flag: Bool
  @Column var createdAt: Date
  @Column var payload: Data?
}

/// A plain struct with the same values as `Item`. The C side reads and writes such structs.
struct PlainItem {
  var id: Int64
  var title: String
  var body: String?
  var score: Double
  var count: Int64
  var flag: Bool
  var createdAt: Date
  var payload: Data?
}

extension Item {
  init(_ item: PlainItem) {
    self.init(
      id: item.id, title: item.title, body: item.body, score: item.score, count: item.count,
      flag: item.flag, createdAt: item.createdAt, payload: item.payload)
  }
}
