import FileEngine
import Foundation
import QueryDSL
import SQLCore

/// The database of a specification: a file, or the same file behind an engine, if the environment
/// variable `APUS_ENGINE` is `file`.
enum Specification {
  static let usesEngine = ProcessInfo.processInfo.environment["APUS_ENGINE"] == "file"

  static func database(
    models: [any TableModel.Type], configuration: Configuration = Configuration()
  ) throws -> Database {
    guard usesEngine else {
      return try Database.temporary(models: models, configuration: configuration)
    }
    let path = FileManager.default.temporaryDirectory.appending(path: "specification-\(UUID())")
    return try Database(
      engine: FileEngine(path: path.path()), models: models, configuration: configuration)
  }
}
