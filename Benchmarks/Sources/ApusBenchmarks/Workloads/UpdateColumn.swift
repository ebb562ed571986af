import Apus
import CSQLiteBench

extension Workload {
  static let updateColumn = Workload(
    name: "W5", title: "20,000 updates of one changed column, one transaction",
    operations: 20_000, target: .c(1.05)
  ) { fixture in
    let work = try UpdateWork(fixture)
    let peer = fixture.peer
    return Sides(
      c: work.c, apus: work.apus,
      grdb: Side(prepare: work.checkpoint) {
        try peer.countUpByStatement(work.items, by: work.steps.next())
      },
      codable: Side(prepare: work.checkpoint) {
        try peer.countUpRecords(work.records, by: work.steps.next())
      })
  }
}

/// The sides that update one column of the same items, through the C API and with models. Each run
/// writes values that differ from the present values of the column.
struct UpdateWork {
  let items: [PlainItem]
  let records: [CodableItem]
  let checkpoint: () throws -> Void
  /// The numbers that the sides of the peer add to the column. Each run takes the next number.
  let steps: Steps
  let c: Workload.Side
  let apus: Workload.Side

  init(_ fixture: Fixture) throws {
    let samples = PlainItem.samples(cachedRows)
    try fixture.fill(with: samples)
    let (database, connection) = (fixture.database, fixture.connection)
    let keys = scatteredKeys(20_000, of: cachedRows)
    let items = keys.map { samples[Int($0 - 1)] }
    let models = try database.read { connection in
      try keys.compactMap { try connection.find(Item.self, $0) }
    }
    let checkpoint: () throws -> Void = { [unowned fixture] in try fixture.checkpoint() }
    let (cSteps, apusSteps, steps) = (Steps(), Steps(), Steps())
    self.items = items
    self.steps = steps
    records = items.map(CodableItem.init)
    self.checkpoint = checkpoint
    c = Workload.Side(prepare: checkpoint) {
      try connection.transaction("BEGIN IMMEDIATE") {
        try connection.withStatement(#"UPDATE "Item" SET "count" = ? WHERE "id" = ?"#) {
          statement in
          let step = cSteps.next()
          var changed = 0
          for item in items {
            sqlite3_bind_int64(statement, 1, item.count + step)
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
    }
    apus = Workload.Side(prepare: checkpoint) {
      try database.write { connection in
        let step = apusSteps.next()
        var changed = 0
        for var model in models {
          model.count += step
          try connection.update(model)
          changed += try connection.changeCount
        }
        return changed
      }
    }
  }
}

/// The numbers 1, 2, 3 and so on.
final class Steps {
  private var last: Int64 = 0

  func next() -> Int64 {
    last += 1
    return last
  }
}
