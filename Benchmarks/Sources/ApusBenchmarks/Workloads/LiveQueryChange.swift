import Apus
import CSQLiteBench
import Dispatch

/// From a commit of one changed row to an observer of all rows that has the new result and the
/// difference, and has read its count and the row. The C side commits alone: what is above it is
/// what observing costs, and is not to grow with the rows.
extension Workload {
  static let liveQueryOfFew = liveQuery(rows: 10_000, name: "W10a")
  static let liveQueryOfMany = liveQuery(rows: 1_000_000, name: "W10b")

  private static func liveQuery(rows: Int, name: String) -> Workload {
    Workload(
      name: name, title: "one row changes; a live query of \(rows) has the result",
      operations: 500, target: 10
    ) { fixture in
      try fixture.fill(with: PlainItem.samples(rows))
      let (database, connection) = (fixture.database, fixture.connection)
      let keys = scatteredKeys(500, of: rows)
      let results = database.observe(Item.order(by: \.$score))
      let observer = Observer(results.makeAsyncIterator())
      _ = try wait { try await observer.next() }
      return Sides(
        c: Side {
          try connection.withStatement(#"UPDATE "Item" SET "score" = "score" + 1 WHERE "id" = ?"#) {
            statement in
            for key in keys {
              sqlite3_bind_int64(statement, 1, key)
              guard sqlite3_step(statement) == SQLITE_DONE else {
                throw CError(code: sqlite3_reset(statement))
              }
              sqlite3_reset(statement)
            }
          }
          return rows * keys.count
        },
        apus: Side {
          try wait {
            var counted = 0
            for key in keys {
              try await database.run(Item.update { $0.$score += 1 }.where { $0.$id == key })
              counted += try await observer.next()
            }
            return counted
          }
        })
    }
  }
}

/// `@unchecked Sendable`: the workload asks from one task at a time, and waits for it.
private final class Observer: @unchecked Sendable {
  private var iterator: QueryObservation<Item>.Iterator

  init(_ iterator: QueryObservation<Item>.Iterator) {
    self.iterator = iterator
  }

  /// How many rows the next result has, after one of those that changed was read.
  func next() async throws -> Int {
    guard let results = try await iterator.next() else { return 0 }
    let difference = results.difference
    if let index = difference.updated.first ?? difference.moved.first?.destination {
      _ = results[index]
    }
    return results.count
  }
}

/// Waits on this thread for what a task gives.
private func wait<Value: Sendable>(
  _ body: @escaping @Sendable () async throws -> Value
) throws -> Value {
  let semaphore = DispatchSemaphore(value: 0)
  let answer = Answer<Value>()
  Task {
    do {
      answer.result = .success(try await body())
    } catch {
      answer.result = .failure(error)
    }
    semaphore.signal()
  }
  semaphore.wait()
  guard let result = answer.result else { throw CancellationError() }
  return try result.get()
}

/// `@unchecked Sendable`: the semaphore puts the writing before the reading.
private final class Answer<Value: Sendable>: @unchecked Sendable {
  var result: Result<Value, any Error>?
}
