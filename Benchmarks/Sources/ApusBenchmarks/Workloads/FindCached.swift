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

  /// The rows stay in the cache of the processor, so that the work is measured and not the memory.
  static let findFewCached = findCached(
    name: "W18h", title: "the same of 100 rows, which are found again and again", rows: 100,
    target: .c(0.05))

  /// Compares with C code that finds all rows in one read, which is the cheapest way in C.
  private static func findCached(
    name: String, title: String, rows: Int, target: Target
  ) -> Workload {
    Workload(name: name, title: title, operations: 20_000, target: target) { fixture in
      try fixture.fill(with: PlainItem.samples(cachedRows))
      let database = fixture.database
      let keys = scatteredKeys(20_000, of: rows)
      // The first read only maps the wal-index, which the cache needs: the second round stores its
      // row.
      for _ in 0..<2 {
        for key in 1...Int64(cachedRows) { _ = try database.find(CachedItem.self, key) }
      }
      return Sides(
        c: fixture.findInOneRead(keys),
        apus: Side { try sum(of: keys, in: database) })
    }
  }

  /// Compares with C code that runs a prepared query in one read.
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
