import Apus
import CSQLiteBench

extension Workload {
  static let findByKey = Workload(
    name: "W3", title: "find 20,000 models by key in one read", operations: 20_000, target: .c(1.10)
  ) { fixture in
    try fixture.fill(with: PlainItem.samples(cachedRows))
    let (database, peer) = (fixture.database, fixture.peer)
    let keys = scatteredKeys(20_000, of: cachedRows)
    return Sides(
      c: fixture.findInOneRead(keys),
      apus: Side {
        try database.read { connection in
          var sum = 0
          for key in keys {
            if let item = try connection.find(Item.self, key) { sum += Int(item.count) }
          }
          return sum
        }
      },
      grdb: Side { try peer.findByStatement(keys) },
      codable: Side { try peer.findRecords(keys) })
  }
}

/// A number of rows that is small enough for all their pages to stay in SQLite's cache. So only the
/// work of the statements is measured. If pages were read from the file, the time for this would
/// hide the difference between the sides.
let cachedRows = 10_000

/// Returns keys from 1 to `rows` in an order without locality, the same in each run.
func scatteredKeys(_ count: Int, of rows: Int) -> [Int64] {
  (0..<count).map { Int64($0 * 7_919 % rows + 1) }
}
