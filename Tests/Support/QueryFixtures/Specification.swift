import ApusRemote
import FileEngine
import Foundation
import GatewayEngine
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

/// The database of a specification: a file, or one behind an engine, by the environment variable
/// `APUS_ENGINE`.
///
/// It is `file` for the same file behind an engine, and `gateway:` with the path of a socket for a
/// cluster: `Cluster/Scripts/specifications`.
enum Specification {
  static let engine = ProcessInfo.processInfo.environment["APUS_ENGINE"] ?? ""

  static var usesEngine: Bool { !engine.isEmpty }

  static func database(
    models: [any TableModel.Type] = [], configuration: Configuration = Configuration()
  ) throws -> Database {
    guard usesEngine else {
      return try Database.temporary(models: models, configuration: configuration)
    }
    let name = "specification-\(UUID())"
    let made: any RemoteEngine
    if engine.hasPrefix("gateway:") {
      made = GatewayEngine(path: String(engine.dropFirst(8)), database: name)
    } else {
      let path = FileManager.default.temporaryDirectory.appending(path: name)
      made = FileEngine(path: path.path())
    }
    let db = try Database(engine: made, models: models, configuration: configuration)
    engines.withLock { $0[ObjectIdentifier(db)] = made }
    return db
  }

  /// Returns a text that the database can store: a cluster stores none with U+0000.
  static func storable(_ text: String) -> String {
    engine.hasPrefix("gateway:") ? text.replacing("\0", with: "\u{1}") : text
  }

  /// The engines of the databases that are elsewhere.
  private static let engines = Lock<[ObjectIdentifier: any RemoteEngine]>([:])

  /// Opens the database of a specification once more, as another program does.
  static func reopen(
    _ db: Database, models: [any TableModel.Type] = [],
    configuration: Configuration = Configuration(), migration: MigrationOptions = MigrationOptions()
  ) throws -> Database {
    let engine = engines.withLock { $0[ObjectIdentifier(db)] }
    guard db.path == nil, let engine else {
      return try Database(
        path: #require(db.path), models: models, configuration: configuration, migration: migration)
    }
    let opened = try Database(
      engine: engine, models: models, configuration: configuration, migration: migration)
    engines.withLock { $0[ObjectIdentifier(opened)] = engine }
    return opened
  }
}

extension Database {
  func columnNames(of table: String) throws -> [String] {
    try read { try $0.columns(ofTable: table).map(\.name) }
  }
}
