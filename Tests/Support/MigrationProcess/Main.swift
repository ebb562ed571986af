import Foundation
import MigrationSamples
import QueryDSL
import SQLCore
import SchemaMigration

/// A process that migrates a file for a test. It prints a line before each statement, so that the
/// test can kill it at any of them.
///
///     MigrationProcess PATH KIND
///     MigrationProcess PATH KIND waits     runs a statement when it has read a line
///
/// Or opens the file as a version of a program does, and uses it.
///
///     MigrationProcess PATH VERSION
///     MigrationProcess PATH VERSION refused     refuses tables that a newer version changed
///     MigrationProcess PATH VERSION gathers     prints "ready", and opens when it has read a line
///     MigrationProcess PATH VERSION number=N    has the schema version N
///     MigrationProcess PATH VERSION times=N     opens, uses and closes the file N times
///
/// It ends with the line "done", or with the error.
@main
enum Main {
  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count >= 3 else { exit(64) }
    do {
      if let migration = Migrations.all[arguments[2]] {
        _ = try open(arguments[1], migration.models, migration.options)
        print("done")
      } else if let version = ProgramVersion.all[arguments[2]] {
        try run(version, arguments[1])
        print("done")
      } else {
        exit(64)
      }
    } catch {
      print("failed: \(error)")
      exit(1)
    }
  }

  private static func open(
    _ path: String, _ models: [any Model.Type], _ options: MigrationOptions
  ) throws -> Database {
    var options = options
    options.progress = { progress in
      print(progress.sql.prefix { $0 != "\n" })
      fflush(nil)
      if CommandLine.arguments.contains("waits") { _ = readLine() }
    }
    // Another process may migrate the file first, for as long as it takes.
    var configuration = Configuration()
    configuration.busyTimeout = .seconds(3_600)
    options.waiting = .seconds(3_600)
    return try Database(
      path: path, models: models, configuration: configuration, migration: options)
  }

  private static func run(_ version: ProgramVersion, _ path: String) throws {
    let arguments = CommandLine.arguments
    if arguments.contains("gathers") {
      print("ready")
      fflush(nil)
      _ = readLine()
    }
    let options = MigrationOptions(
      newerSchema: arguments.contains("refused") ? .refused : .kept, schemaVersion: number("number")
    )
    for _ in 0..<(number("times") ?? 1) {
      let db = try open(path, version.models, options)
      try version.use(db)
      try db.close()
    }
  }

  /// The number of an argument `name=N`.
  private static func number(_ name: String) -> Int? {
    CommandLine.arguments.lazy.compactMap { argument in
      argument.hasPrefix("\(name)=") ? Int(argument.dropFirst(name.count + 1)) : nil
    }.first
  }
}
