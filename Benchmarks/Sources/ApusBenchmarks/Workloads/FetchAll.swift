import Apus
import CSQLiteBench

let selectSQL = """
  SELECT "id", "title", "body", "score", "count", "flag", "createdAt", "payload" FROM "Item"
  """

extension Workload {
  static let fetchAll = Workload(
    name: "W2", title: "fetch 100,000 models into an array", operations: 100_000, target: .c(0.80)
  ) { fixture in
    try fixture.fill(with: PlainItem.samples(100_000))
    let (database, connection, peer) = (fixture.database, fixture.connection, fixture.peer)
    return Sides(
      c: Side {
        try connection.withStatement(selectSQL) { statement in
          var items: [PlainItem] = []
          var code = sqlite3_step(statement)
          while code == SQLITE_ROW {
            items.append(try PlainItem(rowOf: statement))
            code = sqlite3_step(statement)
          }
          guard code == SQLITE_DONE else { throw CError(code: code) }
          return items.count
        }
      },
      apus: Side { try database.fetch(Item.all).count },
      grdb: Side { try peer.fetchByStatement() },
      codable: Side { try peer.fetchRecords() })
  }
}
