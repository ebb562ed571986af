import Apus
import ApusAnalytics
import Foundation

/// Whether DuckDB is on this machine. `Scripts/Support/install-duckdb` installs it for tests.
let hasDuckDB = (try? Analytics()) != nil

/// A database of sales in a file of its own, and its copy.
struct TestDatabase {
  let folder: URL
  let db: Database
  let analytics: Analytics

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appending(path: "apus-analytics-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    db = try Database(
      path: folder.appending(path: "sales.sqlite").path, models: [Sale.self, Store.self])
    analytics = try Analytics(threads: 2)
  }

  func file(_ name: String) -> String { folder.appending(path: name).path }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  /// Inserts sales with these keys, whose values follow from a seed.
  func insert(_ keys: Range<Int>, seed: UInt64 = 1) throws {
    var values = RandomValues(random: SeededGenerator(seed: seed))
    let sales = keys.map { values.sale($0) }
    try db.write { try $0.insert(sales) }
  }
}
