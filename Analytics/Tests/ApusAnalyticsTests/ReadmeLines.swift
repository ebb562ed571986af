import Apus
import ApusAnalytics
import ApusHistory
import Foundation

// The code of the README.

struct Order: Model {
  @PrimaryKey var id = Unique64()
  @Column var customer: String
  @Column var amount: Double
  @Column var createdAt = Date()

  static var schema: Schema<Order> { Logged() }
}

func totals(of db: Database) throws -> [(String, Double?)] {
  let analytics = try Analytics()  // in memory; Analytics(path: "sales.duckdb") keeps the copies
  try analytics.copy(Order.self, from: db)
  return try analytics.database.fetch(
    Order.group(by: \.$customer).select { ($0.$customer, $0.$amount.sum()) })
}

func copyRecent(_ analytics: Analytics, from db: Database, since date: Date) async throws {
  try await analytics.copy(
    Order.where { $0.$createdAt >= date }, as: Order.self, from: db)
}

func keepCurrent(_ analytics: Analytics, _ db: Database) async throws {
  try await analytics.copy(Order.self, from: db)
  try await analytics.follow(db)  // until the task is cancelled or the database is closed
}

func export(_ analytics: Analytics, to path: String) throws {
  try analytics.writeParquet(
    Order.where { $0.$amount > 0 }, to: path, types: ["createdAt": .timestamp])
}
