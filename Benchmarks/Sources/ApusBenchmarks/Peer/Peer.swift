import Foundation
import GRDB

/// The peer's side of a workload: a pool on a file of its own, opened as its documentation
/// recommends, in WAL mode with `synchronous=NORMAL`.
///
/// Each workload is done in two ways: in the fastest way that the peer documents (statements that
/// are prepared once, rows read by index), and with `Codable` records.
final class Peer: Sendable {
  let pool: DatabasePool

  init(path: String, synchronous: String = "NORMAL") throws {
    var configuration = GRDB.Configuration()
    configuration.busyMode = .timeout(5)
    pool = try DatabasePool(path: path, configuration: configuration)
    // Only the writer commits, and the pool has set its own value there: this replaces it.
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
