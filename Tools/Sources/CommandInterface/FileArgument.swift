import Apus
import ArgumentParser
import ToolOutput

/// The file that a command reads.
package struct FileArgument: ParsableArguments {
  @Argument(help: "The SQLite file.", completion: .file())
  package var file: String

  package init() {}

  /// Opens the file as one that comes from a stranger: read-only, and without trust in its schema.
  package func open() throws -> Database { try Self.open(file) }

  package static func open(_ path: String) throws -> Database {
    var configuration = Configuration.untrustedFile
    configuration.maximumReaders = 1
    return try open(path, configuration)
  }

  /// Opens a file. An interruption ends its statements. If a program has left a transaction
  /// unfinished in the file, it is rolled back.
  package static func open(_ path: String, _ configuration: Configuration) throws -> Database {
    let file = FileProblem(path: path)
    return try file.explaining {
      let database: Database
      do {
        database = try Database(path: literal(path), configuration: configuration)
      } catch let error as DatabaseError where FileProblem.isUnfinished(error) {
        guard try file.recover() else { throw error }
        database = try Database(path: literal(path), configuration: configuration)
      }
      Interruption.onRequest { [weak database] in database?.interrupt() }
      return database
    }
  }

  /// Reads from the file, as one that comes from a stranger, in one transaction.
  package func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    let database = try open()
    return try FileProblem(path: file).explaining { try database.read(body) }
  }

  /// Returns the path in a form that SQLite does not take for a URI, which could name another way
  /// of accessing files, or for a database in memory.
  package static func literal(_ path: String) -> String {
    path.isEmpty || path.hasPrefix("file:") || path.hasPrefix(":") ? "./" + path : path
  }
}
