import Foundation
import GRDB

/// The peer's side of a workload: a pool on a file of its own, opened as its documentation says,
/// which is in WAL mode with `synchronous=NORMAL`.
///
/// Each workload is done in two ways: by the fastest that the peer documents (statements that are
/// prepared once, rows read by index), and by records that are `Codable`.
final class Peer: Sendable {
  let pool: DatabasePool

  init(path: String, synchronous: String = "NORMAL") throws {
    var configuration = GRDB.Configuration()
    configuration.busyMode = .timeout(5)
    pool = try DatabasePool(path: path, configuration: configuration)
    // The pool's own choice stands in its writer, which alone commits.
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
