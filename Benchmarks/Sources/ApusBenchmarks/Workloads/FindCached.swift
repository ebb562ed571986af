import Apus
import CSQLiteBench
import Foundation

/// The model of the other workloads, in the same table, with a cache that holds all its rows.
struct CachedItem: Model {
  static var tableName: String { Item.tableName }

  @PrimaryKey var id: Int64
  @Column var title: String
  @Column var body: String?
  @Column var score: Double
  @Column var count: Int64
  @Column var flag: Bool
  @Column var createdAt: Date
  @Column var payload: Data?

  static var schema: Schema<CachedItem> {
    Cached(rows: 20_000, bytes: 256 << 20)
    CachedResults(rows: 100_000, bytes: 256 << 20)
  }
}

extension Workload {
  static let findCached = findCached(
    name: "W18", title: "20,000 synchronous finds of cached rows", rows: cachedRows,
    target: .c(0.10))

  /// Finds only 100 rows, which stay in the cache of the processor. So the work of the finds is
  /// measured, and not the speed of the machine's memory.
  static let findFewCached = findCached(
    name: "W18h", title: "the same of 100 rows, which are found again and again", rows: 100,
    target: .c(0.05))

  /// Compares finds of cached rows with C code that finds all rows in one read transaction, which
  /// is the fastest way in C.
  private static func findCached(
    name: String, title: String, rows: Int, target: Target
  ) -> Workload {
    Workload(name: name, title: title, operations: 20_000, target: target) { fixture in
      try fixture.fill(with: PlainItem.samples(cachedRows))
      let database = fixture.database
      let keys = scatteredKeys(20_000, of: rows)
      // The cache can store a row only after the connection has mapped the wal-index, which the
      // first read does. So the first row is stored in the second round.
      for _ in 0..<2 {
        for key in 1...Int64(cachedRows) { _ = try database.find(CachedItem.self, key) }
      }
      return Sides(
        c: fixture.findInOneRead(keys),
        apus: Side { try sum(of: keys, in: database) })
    }
  }

  /// Compares queries with cached results with C code that prepares the query once and runs it in
  /// one read transaction.
  static let queryCached = Workload(
    name: "W18q", title: "20,000 queries of 20 rows, whose results are cached", operations: 20_000
  ) { fixture in
    try fixture.fill(with: PlainItem.samples(cachedRows))
    let database = fixture.database
    let keys = scatteredKeys(20_000, of: cachedRows).map { $0 % 1_000 }
    return Sides(
      c: fixture.fetchInOneRead(
        selectSQL + #" WHERE "id" >= ? ORDER BY "id" LIMIT 20"#, keys
      ) { statement, key in sqlite3_bind_int64(statement, 1, key) },
      apus: Side {
        var sum = 0
        for key in keys {
          let query = CachedItem.where { $0.$id >= key }.order(by: \.$id).limit(20)
          for item in try database.fetch(query) { sum += Int(item.count) }
        }
        return sum
      })
  }
}

private func sum(of keys: [Int64], in database: Database) throws -> Int {
  var sum = 0
  for key in keys {
    if let item = try database.find(CachedItem.self, key) { sum += Int(item.count) }
  }
  return sum
}
