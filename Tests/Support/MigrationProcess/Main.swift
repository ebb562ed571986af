import Foundation
import QueryDSL
import SQLCore
import Synchronization

/// Migrates a file as a test asks, and prints a line before each statement, so that the test can end
/// it wherever it likes.
///
///     MigrationProcess PATH KIND [STATEMENT]
///
/// With the number of a statement it fails before that one.
@main
enum Main {
  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count >= 3, let migration = Migrations.all[arguments[2]] else {
      exit(64)
    }
    let failure = arguments.count > 3 ? Int(arguments[3]) : nil
    let count = Counter()
    do {
      var options = MigrationOptions(steps: migration.steps)
      options.progress = { progress in
        print(progress.sql.prefix { $0 != "\n" })
        fflush(nil)
        if count.next() == failure { throw Failure() }
      }
      _ = try Database(path: arguments[1], models: migration.models, migration: options)
      print("done")
    } catch {
      print("failed: \(error)")
      exit(1)
    }
  }

  struct Failure: Error {}
}

/// Counts from 0.
final class Counter: Sendable {
  private let value = Atomic(-1)

  func next() -> Int { value.wrappingAdd(1, ordering: .relaxed).newValue }
}
