import Apus
import CSQLiteBench

extension Workload {
  static let preparedCall = Workload(
    name: "W4p", title: "the same 20,000 queries, prepared once",
    operations: 20_000, target: .c(1.05)
  ) { fixture in
    try fixture.fill(with: PlainItem.samples(cachedRows))
    let database = fixture.database
    let keys = scatteredKeys(20_000, of: cachedRows)
    let query = try database.prepare { (key: SQLParameter<Int64>, flag: SQLParameter<Bool>) in
      Item.where { $0.$id >= key && $0.$flag == flag }.order(by: \.$id).limit(1)
    }
    let sql = try query(1, true).sql.text
    return Sides(
      c: fixture.fetchInOneRead(sql, keys) { statement, key in
        sqlite3_bind_int64(statement, 1, key)
        sqlite3_bind_int64(statement, 2, 1)
        sqlite3_bind_int64(statement, 3, 1)
      },
      apus: Side {
        try database.read { connection in
          var sum = 0
          for key in keys {
            for item in try connection.fetch(query(key, true)) { sum += Int(item.count) }
          }
          return sum
        }
      })
  }
}
