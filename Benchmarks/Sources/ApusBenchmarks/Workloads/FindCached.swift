import Apus
import CSQLiteBench

/// The model of all workloads, with a cache that holds all rows.
struct CachedItem: Model {
  static var tableName: String { "Item" }

  @PrimaryKey var id: Int64
  @Column var title: String
  @Column var body: String?
  @Column var score: Double
  @Column var count: Int64
  @Column var flag: Bool
  @Column var createdAt: Date
  @Column var payload: Data?

  static var schema: Schema<CachedItem> { Cached(rows: 20_000, bytes: 64 << 20) }
}

extension Workload {
  /// Compares a row in the cache with C code that finds it by a prepared statement. Both always
  /// return the newest row.
  static let findCached = Workload(
    name: "W18", title: "200,000 synchronous finds of cached rows", operations: 200_000,
    target: .c(0.10)
  ) { fixture in
    try fixture.fill(with: PlainItem.samples(cachedRows))
    let (database, connection) = (fixture.database, fixture.connection)
    let keys = scatteredKeys(200_000, of: cachedRows)
    return Sides(
      c: Side {
        try connection.withStatement(selectSQL + #" WHERE "id" = ?"#) { statement in
          var sum = 0
          for key in keys {
            sqlite3_bind_int64(statement, 1, key)
            if sqlite3_step(statement) == SQLITE_ROW {
              sum += Int(try PlainItem(rowOf: statement).count)
            }
            try check(sqlite3_reset(statement))
          }
          return sum
        }
      },
      apus: Side {
        var sum = 0
        for key in keys {
          if let item = try database.find(CachedItem.self, key) { sum += Int(item.count) }
        }
        return sum
      })
  }
}
