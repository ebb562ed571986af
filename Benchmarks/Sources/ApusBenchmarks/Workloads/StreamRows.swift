import Apus
import CSQLiteBench

extension Workload {
  /// Reads ten million rows in one statement. The statement returns each of 100,000 items 100
  /// times, so that the file need not have gigabytes.
  static let streamRows = Workload(
    name: "W11", title: "iterate over 10,000,000 models as a stream", operations: 10_000_000,
    target: .c(1.10), isLong: true
  ) { fixture in
    try fixture.fill(with: PlainItem.samples(100_000))
    let (database, connection, peer) = (fixture.database, fixture.connection, fixture.peer)
    let sql = try repeatedItems.sql.text
    return Sides(
      c: Side {
        try connection.withStatement(sql) { statement in
          sqlite3_bind_int64(statement, 1, repetitions)
          var sum = 0
          var code = sqlite3_step(statement)
          while code == SQLITE_ROW {
            let item = try PlainItem(rowOf: statement)
            sum += item.title.utf8.count + Int(item.count)
            code = sqlite3_step(statement)
          }
          guard code == SQLITE_DONE else { throw CError(code: code) }
          return sum
        }
      },
      apus: .task {
        var sum = 0
        for try await item in database.stream(repeatedItems) {
          sum += item.title.utf8.count + Int(item.count)
        }
        return sum
      },
      grdb: Side { try peer.iterate(sql, repetitions) },
      codable: Side(operations: 1_000_000) { try peer.iterateRecords(sql, repetitions / 10) })
  }
}

private let repetitions: Int64 = 100

/// Each item, joined with each of the first hundred items.
private let repeatedItems = Query { (repetition: Columns<Item>, item: Columns<Item>) in
  From(repetition)
  Join(item, on: repetition.$id <= repetitions)
  Select(item)
}
