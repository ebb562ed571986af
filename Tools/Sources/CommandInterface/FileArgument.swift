import Apus
import ArgumentParser

/// The file that a command reads.
package struct FileArgument: ParsableArguments {
  @Argument(help: "The SQLite file.", completion: .file())
  package var file: String

  package init() {}

  /// Opens the file as one of a stranger: read-only, and without trust in its schema.
  package func open() throws -> Database { try Self.open(file) }

  package static func open(_ path: String) throws -> Database {
    var configuration = Configuration.untrustedFile
    configuration.maximumReaders = 1
    return try Database(path: literal(path), configuration: configuration)
  }

  /// A path that is not taken for a URI, which could name another way of accessing files, nor for a
  /// database in memory.
  package static func literal(_ path: String) -> String {
    path.isEmpty || path.hasPrefix("file:") || path.hasPrefix(":") ? "./" + path : path
  }
}
