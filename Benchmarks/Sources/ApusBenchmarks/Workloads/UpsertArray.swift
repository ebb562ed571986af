import Apus
import CSQLiteBench

extension Workload {
  static let upsertArray = Workload(
    name: "W16", title: "upsert 100,000 models, half of them there, each with its outcome",
    operations: 100_000, target: .c(0.85)
  ) { fixture in
    let items = PlainItem.samples(100_000)
    let models = items.map(Item.init)
    let there = stride(from: 0, to: items.count, by: 2).map { index in
      var item = items[index]
      item.count += 1
      return item
    }
    let (database, connection) = (fixture.database, fixture.connection)
    let sql = try Item.insert(models).onConflictUpdate(\.$id).sql.text
    let refill: () throws -> Void = { [unowned fixture] in
      try fixture.clear()
      try fixture.fill(with: there)
    }
    return Sides(
      c: Side(prepare: refill) {
        try connection.transaction("BEGIN IMMEDIATE") {
          try connection.withStatement(sql) { statement in
            var written = 0
            for item in items {
              try insert(item, by: statement)
              written += Int(sqlite3_changes(connection.handle))
            }
            return written
          }
        }
      },
      apus: Side(prepare: refill) {
        try database.write { connection in
          try connection.upsert(Item.insert(models).onConflictUpdate(\.$id))
            .count { $0.outcome != .unchanged }
        }
      })
  }

  static let bulkUpdate = Workload(
    name: "W17", title: "update an expression in 50,000 of 100,000 rows by one command, 20 times",
    operations: 20, target: nil
  ) { fixture in
    try fixture.fill(with: PlainItem.samples(100_000))
    let (database, connection) = (fixture.database, fixture.connection)
    let sql = #"UPDATE "Item" SET "count" = "count" + ? WHERE "id" > ?"#
    precondition((try? update.sql.text) == sql, "the sides run different SQL")
    let checkpoint: () throws -> Void = { [unowned fixture] in try fixture.checkpoint() }
    return Sides(
      c: Side(prepare: checkpoint) {
        try connection.transaction("BEGIN IMMEDIATE") {
          try connection.withStatement(sql) { statement in
            var changed = 0
            for _ in 0..<20 {
              sqlite3_bind_int64(statement, 1, 1)
              sqlite3_bind_int64(statement, 2, 50_000)
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
          for _ in 0..<20 { changed += try connection.run(update) }
          return changed
        }
      })
  }

  private static var update: Update<Item> {
    Item.update { $0.$count += 1 }.where { $0.$id > 50_000 }
  }
}
