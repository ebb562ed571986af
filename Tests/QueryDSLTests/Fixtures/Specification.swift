import FileEngine
import Foundation
import GatewayEngine
import QueryDSL
import SQLCore

/// The database of a specification: a file, or one behind an engine, by the environment variable
/// `APUS_ENGINE`.
///
/// It is `file` for the same file behind an engine, and `gateway:` with the path of a socket for a
/// cluster: `Scripts/cluster-specifications`.
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
    guard engine.hasPrefix("gateway:") else {
      let path = FileManager.default.temporaryDirectory.appending(path: name)
      return try Database(
        engine: FileEngine(path: path.path()), models: models, configuration: configuration)
    }
    return try Database(
      engine: GatewayEngine(path: String(engine.dropFirst(8)), database: name), models: models,
      configuration: configuration)
  }
}
