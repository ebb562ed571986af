import Apus
import ApusAnalytics
import Foundation

struct Purchase: Model {
  @PrimaryKey var id: Int
  @Column var customerID: Int
  @Column var product: String
  @Column var quantity: Int
  @Column var amount: Double
  @Column var rating: Int?
  @Column var createdAt: Date
}

struct Customer: Model {
  @PrimaryKey var id: Int
  @Column var region: String
}

/// Ten analytical queries over many rows, in SQLite and in the copy. Prints a line for each: its name,
/// and the milliseconds of both, the best of three, or of one if that takes more than two seconds.
@main
struct AnalyticsBench {
  static func main() throws {
    guard CommandLine.arguments.count == 3, let count = Int(CommandLine.arguments[1]) else {
      print("usage: AnalyticsBench ROWS FOLDER")
      exit(2)
    }
    let folder = CommandLine.arguments[2]
    let db = try Database(path: folder + "/sales.sqlite", models: [Purchase.self, Customer.self])
    try fill(db, count)
    let analytics = try Analytics(path: folder + "/sales.duckdb")
    let start = ContinuousClock.now
    let copied = try analytics.copy(Purchase.self, Customer.self, from: db)
    print("copy\t\(copied)\t\(milliseconds(ContinuousClock.now - start))")
    for measured in Measured.all {
      let here = try best { try measured.run(db) }
      let there = try best { try measured.run(analytics.database) }
      print("\(measured.name)\t\(here)\t\(there)")
    }
    try analytics.database.close()
  }

  private static func fill(_ db: Database, _ count: Int) throws {
    try db.write { connection in
      try connection.execute(
        """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
        INSERT INTO "Customer" SELECT i, 'region ' || (i * 7 % 50) FROM n
        """)
      try connection.execute(
        """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        INSERT INTO "Purchase" SELECT i, i * 7919 % 100000 + 1, 'product ' || (i * 31 % 1000),
          i * 17 % 9 + 1, (i * 104729 % 100000) / 100.0,
          CASE WHEN i % 3 THEN i * 13 % 5 + 1 END,
          1600000000000000 + (i * 6151 % 150000000) * 1000000 FROM n
        """)
    }
  }

  private static func best(_ body: () throws -> Void) rethrows -> Int {
    var best = Int.max
    for _ in 0..<3 {
      let start = ContinuousClock.now
      try body()
      best = min(best, milliseconds(ContinuousClock.now - start))
      if best > 2_000 { break }
    }
    return best
  }

  private static func milliseconds(_ duration: Duration) -> Int {
    Int((duration / .milliseconds(1)).rounded())
  }
}

/// A query of the measurement.
struct Measured: Sendable {
  let name: String
  let run: @Sendable (Database) throws -> Void

  private init(_ name: String, _ query: some Fetchable & Sendable) {
    self.name = name
    run = { _ = try $0.fetch(query) }
  }

  static let all = [
    Measured("count of a condition", Purchase.where { $0.$amount > 500 }.select { $0.count() }),
    Measured(
      "sum and mean of a column", Purchase.all.select { ($0.$amount.sum(), $0.$amount.avg()) }),
    Measured(
      "sums by product",
      Purchase.group(by: \.$product).select { ($0.$product, $0.$amount.sum(), $0.count()) }),
    Measured(
      "sums by month",
      Query {
        let row = Columns<Purchase>()
        From(row)
        GroupBy(row.$createdAt.strftime("%Y-%m"))
        Select(row.$createdAt.strftime("%Y-%m"), row.$amount.sum())
      }),
    Measured(
      "different customers by product",
      Purchase.group(by: \.$product).select { ($0.$product, $0.$customerID.count(distinct: true)) }),
    Measured(
      "sums by region, with a join",
      Query {
        let (row, customer) = (Columns<Purchase>(), Columns<Customer>())
        From(row)
        Join(customer, on: row.$customerID == customer.$id)
        GroupBy(customer.$region)
        Select(customer.$region, row.$amount.sum(), row.$quantity.sum())
      }),
    Measured(
      "the 20 best customers",
      Query {
        let row = Columns<Purchase>()
        From(row)
        GroupBy(row.$customerID)
        OrderBy(row.$amount.sum(), .descending)
        Limit(20)
        Select(row.$customerID, row.$amount.sum())
      }),
    Measured(
      "the 100 largest purchases",
      Purchase.order(by: \.$amount, .descending).order(by: \.$id).limit(100)),
    Measured(
      "texts with a pattern",
      Purchase.where { $0.$product.like("%uct 9_") }.select { ($0.count(), $0.$rating.avg()) }),
    Measured(
      "a rank in each product",
      Query {
        let row = Columns<Purchase>()
        let rank = row.rank().over(
          Window.partition(by: row.$product).order(by: row.$amount, .descending))
        From(row)
        OrderBy(rank)
        OrderBy(row.$id)
        Limit(100)
        Select(row.$id, rank)
      }),
  ]
}
