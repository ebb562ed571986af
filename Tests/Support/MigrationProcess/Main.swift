import Foundation
import MigrationSamples
import QueryDSL
import SQLCore

/// A process that migrates a file for a test. It prints a line before each statement, so that the
/// test can kill it at any of them.
///
///     MigrationProcess PATH KIND
///     MigrationProcess PATH KIND waits     runs a statement when it has read a line
@main
enum Main {
  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count >= 3, let migration = Migrations.all[arguments[2]] else {
      exit(64)
    }
    do {
      var options = migration.options
      options.progress = { progress in
        print(progress.sql.prefix { $0 != "\n" })
        fflush(nil)
        if arguments.last == "waits" { _ = readLine() }
      }
      // Another process may migrate the file first, for as long as that takes.
      var configuration = Configuration()
      configuration.busyTimeout = .seconds(3_600)
      _ = try Database(
        path: arguments[1], models: migration.models, configuration: configuration,
        migration: options)
      print("done")
    } catch {
      print("failed: \(error)")
      exit(1)
    }
  }
}
