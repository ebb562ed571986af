import Foundation
import GRDB

/// A GRDB pool on a file of its own, which is the peer's side of a workload. It is opened as GRDB's
/// documentation recommends, in WAL mode with `synchronous=NORMAL`.
///
/// Each workload is done in two ways: in the fastest way that GRDB's documentation describes
/// (statements that are prepared once, rows read by index), and with `Codable` records.
final class Peer: Sendable {
  let pool: DatabasePool

  init(path: String, synchronous: String = "NORMAL") throws {
    var configuration = GRDB.Configuration()
    configuration.busyMode = .timeout(5)
    pool = try DatabasePool(path: path, configuration: configuration)
    // This replaces the setting that the pool has made on the writer, the only connection that
    // commits.
    try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = \(synchronous)") }
  }

  func execute(_ sql: String) throws {
    try pool.writeWithoutTransaction { try $0.execute(sql: sql) }
  }

  func checkpoint() throws {
    _ = try pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
  }

  func fill(with items: [PlainItem]) throws {
    _ = try insertByStatement(items)
    try checkpoint()
  }
}
