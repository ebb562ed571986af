import Apus
import ArgumentParser
import Foundation
import ToolOutput

/// The command `apus`.
@main
struct ApusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apus",
    abstract: "Looks into SQLite files, and writes Swift models for them.",
    discussion: """
      All commands open the file read-only and trust nothing in it. The output is a table; --json \
      and --csv are for programs.

      EXAMPLES:
        apus tables blog.sqlite
        apus show blog.sqlite Post --limit 5
        apus query blog.sqlite 'SELECT count(*) FROM Post' --json
        apus generate blog.sqlite --output Sources/Blog/Models

      EXIT STATUS:
        0  the command did what it was asked
        1  an error: the file cannot be read, the SQL is wrong, …
        2  the arguments are wrong
        3  `check` found a fault in the file
      """,
    version: "apus, with SQLite \(SQLiteLibrary.version)",
    subcommands: [
      Tables.self, SchemaCommand.self, Show.self, QueryCommand.self, Explain.self, Check.self,
      Statistics.self, Generate.self,
    ])

  static func main() async {
    do {
      var command = try parseAsRoot()
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch {
      end(with: error)
    }
  }

  /// Ends the program with the message and the exit status of an error.
  private static func end(with error: any Error) -> Never {
    switch exitCode(for: error) {
    // A request for help, or an exit status of a command.
    case .success: exit(withError: error)
    case .validationFailure:
      ErrorOutput.write(fullMessage(for: error))
      exit(withError: ExitStatus.usage)
    default:
      if let status = error as? ExitCode { exit(withError: status) }
      ErrorOutput.write("apus: \(error)")
      exit(withError: ExitStatus.failure)
    }
  }
}
