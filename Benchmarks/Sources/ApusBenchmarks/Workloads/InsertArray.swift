import Apus
import CSQLiteBench

let insertSQL = """
  INSERT INTO "Item" ("id", "title", "body", "score", "count", "flag", "createdAt", "payload") \
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  """

@inline(__always)
func insert(_ item: PlainItem, by statement: OpaquePointer) throws {
  try item.bind(to: statement) {
    guard sqlite3_step(statement) == SQLITE_DONE else {
      throw CError(code: sqlite3_reset(statement))
    }
    sqlite3_reset(statement)
  }
}

extension Workload {
  static let insertArray = Workload(
    name: "W1", title: "insert 100,000 models by one call", operations: 100_000, target: .c(0.80)
  ) { fixture in
    try insertion(fixture) { connection, items in try connection.insert(items) }
  }

  /// Returns the sides of a workload that inserts rows. The C side calls `sqlite3_step` once for
  /// each row, Apus inserts the rows by the given closure, and GRDB inserts plain structs and
  /// `Codable` records.
  static func insertion(
    _ fixture: Fixture, by insertModels: @escaping (Connection, [Item]) throws -> Void
  ) throws -> Sides {
    let items = PlainItem.samples(100_000)
    let models = items.map(Item.init)
    let records = items.map(CodableItem.init)
    let (database, connection, peer) = (fixture.database, fixture.connection, fixture.peer)
    // The caller keeps the fixture alive while it uses the sides, so the closures need not own the
    // fixture.
    let clear: () throws -> Void = { [unowned fixture] in try fixture.clear() }
    return Sides(
      c: Side(prepare: clear) {
        try connection.transaction("BEGIN IMMEDIATE") {
          try connection.withStatement(insertSQL) { statement in
            for item in items { try insert(item, by: statement) }
          }
        }
        return Int(sqlite3_last_insert_rowid(connection.handle))
      },
      apus: Side(prepare: clear) {
        try database.write { connection in
          try insertModels(connection, models)
          return Int(try connection.lastInsertRowID)
        }
      },
      grdb: Side(prepare: clear) { try peer.insertByStatement(items) },
      codable: Side(prepare: clear) { try peer.insertRecords(records) })
  }
}
