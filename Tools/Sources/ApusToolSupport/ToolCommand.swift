import Apus
import ArgumentParser
import CommandInterface
import Foundation

/// The commands `plan`, `migrate` and `check` of a program with models.
struct ToolCommand<Tool: ModelTool>: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: URL(filePath: CommandLine.arguments.first ?? "tool").lastPathComponent,
      abstract: "Compares a database file with the models of this program, and migrates it.",
      discussion: """
        EXIT STATUS:
          0  the command did what it was asked
          1  an error, or a migration that is refused
          2  the arguments are wrong
          3  `plan` found something to migrate, `check` a fault
        """,
      subcommands: [
        PlanCommand<Tool>.self, MigrateCommand<Tool>.self, CheckCommand<Tool>.self,
      ])
  }
}

extension FileArgument {
  /// Opens the file for reading. It is the program's own file, so its schema is trusted.
  func openForReading() throws -> Database {
    var configuration = Configuration()
    configuration.isReadOnly = true
    return try Self.open(file, configuration)
  }
}
