import Apus
import CSQLiteBench

extension Workload {
  static let typedQuery = Workload(
    name: "W4", title: "20,000 queries: 2 predicates, order, limit; each built from scratch",
    operations: 20_000, target: .c(1.15)
  ) { fixture in
    try fixture.fill(with: PlainItem.samples(cachedRows))
    let (database, peer) = (fixture.database, fixture.peer)
    let keys = scatteredKeys(20_000, of: cachedRows)
    let sql = selectSQL + #" WHERE "id" >= ? AND "flag" = 1 ORDER BY "id" LIMIT ?"#
    precondition((try? query(from: 1).sql.text) == sql, "the sides run different SQL")
    return Sides(
      c: fixture.fetchInOneRead(sql, keys) { statement, key in
        sqlite3_bind_int64(statement, 1, key)
        sqlite3_bind_int64(statement, 2, 1)
      },
      apus: Side {
        try database.read { connection in
          var sum = 0
          for key in keys {
            for item in try connection.fetch(query(from: key)) { sum += Int(item.count) }
          }
          return sum
        }
      },
      grdb: Side { try peer.runRequests(keys) { (item: PlainItem) in item.count } },
      codable: Side { try peer.runRequests(keys) { (item: CodableItem) in item.count } })
  }

  /// Returns a query for the first flagged item whose key is at least `key`.
  private static func query(from key: Int64) -> TableQuery<Item, Item> {
    Item.where { $0.$id >= key && $0.$flag == true }.order(by: \.$id).limit(1)
  }
}
