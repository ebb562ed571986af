import Apus
import Foundation

/// A folder that contains a database for each side: Apus, C and GRDB. All three databases have the
/// table that Apus creates for `Item`.
final class Fixture {
  let database: Database
  let connection: CConnection
  let peer: Peer
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appending(path: "apus-benchmark-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    database = try Database(
      path: folder.appending(path: "apus.sqlite").path(), models: [Item.self],
      configuration: .relaxed)
    connection = try CConnection(path: folder.appending(path: "c.sqlite").path())
    peer = try Peer(path: folder.appending(path: "grdb.sqlite").path())
    let table = try database.row(
      "SELECT sql FROM sqlite_schema WHERE name = \(Item.tableName)")?["sql", as: String.self]
    try connection.execute(table ?? "")
    try peer.execute(table ?? "")
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  /// Returns the path of another file in the folder.
  func path(_ name: String) -> String { folder.appending(path: name).path() }

  /// Inserts the same items into the databases of all sides. Then runs a checkpoint in each
  /// database, so that the write-ahead log is empty.
  func fill(with items: [PlainItem]) throws {
    try database.write { try $0.insert(items.map(Item.init)) }
    try connection.transaction("BEGIN IMMEDIATE") {
      try connection.withStatement(insertSQL) { statement in
        for item in items { try insert(item, by: statement) }
      }
    }
    try peer.fill(with: items)
    try checkpoint()
  }

  /// Empties the tables.
  func clear() throws {
    try database.execute("DELETE FROM \(Item.self)")
    try connection.execute("DELETE FROM Item")
    try peer.execute("DELETE FROM Item")
    try checkpoint()
  }

  func checkpoint() throws {
    try database.writeWithoutTransaction { connection in
      _ = try connection.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    }
    try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    try peer.checkpoint()
  }
}
