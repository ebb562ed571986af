import Apus
import CSQLiteBench

extension Workload {
  static let updateColumn = Workload(
    name: "W5", title: "20,000 updates of one changed column, one transaction",
    operations: 20_000, target: 1.10
  ) { fixture in
    let samples = PlainItem.samples(cachedRows)
    try fixture.fill(with: samples)
    let (database, connection) = (fixture.database, fixture.connection)
    let keys = scatteredKeys(20_000, of: cachedRows)
    let items = keys.map { samples[Int($0 - 1)] }
    let models = try database.read { connection in
      try keys.compactMap { try connection.find(Item.self, $0) }
    }
    let checkpoint: () throws -> Void = { [unowned fixture] in try fixture.checkpoint() }
    return Sides(
      c: Side(prepare: checkpoint) {
        try connection.transaction("BEGIN IMMEDIATE") {
          try connection.withStatement(#"UPDATE "Item" SET "count" = ? WHERE "id" = ?"#) {
            statement in
            var changed = 0
            for item in items {
              sqlite3_bind_int64(statement, 1, item.count + 1)
              sqlite3_bind_int64(statement, 2, item.id)
              guard sqlite3_step(statement) == SQLITE_DONE else {
                throw CError(code: sqlite3_reset(statement))
              }
              changed += Int(sqlite3_changes(connection.handle))
              sqlite3_reset(statement)
            }
            return changed
          }
        }
      },
      apus: Side(prepare: checkpoint) {
        try database.write { connection in
          var changed = 0
          for model in models {
            var model = model
            model.count += 1
            try connection.update(model)
            changed += try connection.changeCount
          }
          return changed
        }
      })
  }
}
