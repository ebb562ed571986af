import Apus
import ArgumentParser
import ToolOutput

/// The file that a command reads.
package struct FileArgument: ParsableArguments {
  @Argument(help: "The SQLite file.", completion: .file())
  package var file: String

  package init() {}

  /// Opens the file as an untrusted file: read-only, and without trust in its schema.
  package func open() throws -> Database { try Self.open(file) }

  package static func open(_ path: String) throws -> Database {
    var configuration = Configuration.untrustedFile
    configuration.maximumReaders = 1
    return try open(path, configuration)
  }

  /// Opens a file. If the user interrupts the command, the statements of this database are ended.
  /// If a program has left an unfinished transaction in the file, the transaction is rolled back.
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

  /// Opens the file as an untrusted file, and reads from it in one transaction.
  package func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    let database = try open()
    return try FileProblem(path: file).explaining { try database.read(body) }
  }

  /// Returns the path in a form that SQLite considers neither a URI nor a database in memory. A URI
  /// could select another VFS.
  package static func literal(_ path: String) -> String {
    path.isEmpty || path.hasPrefix("file:") || path.hasPrefix(":") ? "./" + path : path
  }
}
