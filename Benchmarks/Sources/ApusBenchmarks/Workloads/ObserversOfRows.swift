import Apus

/// Workloads that change one row in each commit while other rows of the same table are watched. The
/// cost of a commit should not grow with the number of watched rows. The C side only commits.
extension Workload {
  static let observersOf10 = observers(of: 10, name: "W10d", target: .c(1.5))
  static let observersOf100 = observers(of: 100, name: "W10d-100")
  static let observersOf1_000 = observers(of: 1_000, name: "W10d-1000")
  static let observersOf10_000 = observers(of: 10_000, name: "W10e", target: .c(1.5))

  private static func observers(
    of count: Int, name: String, target: Target? = nil
  ) -> Workload {
    Workload(
      name: name, title: "one row changes; \(count) observers of other rows", operations: 500,
      target: target
    ) { fixture in
      try fixture.fill(with: PlainItem.samples(20_000))
      let (database, connection) = (fixture.database, fixture.connection)
      let observers = (1...count).map { database.changes(of: Item.self, keys: [Int64($0)]) }
      let keys = (1...500).map { Int64(10_000 + $0) }
      return Sides(
        c: Side {
          try connection.withStatement(#"UPDATE "Item" SET "score" = "score" + 1 WHERE "id" = ?"#) {
            statement in
            for key in keys { try run(statement, with: key) }
          }
          return keys.count
        },
        apus: Side {
          for key in keys { try database.countUp(key) }
          return withExtendedLifetime(observers) { keys.count }
        })
    }
  }
}

extension Database {
  fileprivate func countUp(_ key: Int64) throws {
    try run(Item.update { $0.$score += 1 }.where { $0.$id == key })
  }
}
