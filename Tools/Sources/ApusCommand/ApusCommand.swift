import Apus
import ArgumentParser
import CommandInterface

/// The command `apus`.
@main
struct ApusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apus",
    abstract: "Looks into SQLite files, and writes Swift models for them.",
    discussion: """
      All commands but import open the file read-only, and trust nothing in it. The output is a \
      table; --json and --csv are for programs.

      EXAMPLES:
        apus tables blog.sqlite
        apus show blog.sqlite Post --limit 5
        apus query blog.sqlite 'SELECT count(*) FROM Post' --json
        apus watch blog.sqlite
        apus generate blog.sqlite --output Sources/Blog/Models

      EXIT STATUS:
        0  the command did what it was asked
        1  an error: the file cannot be read, the SQL is wrong, …
        2  the arguments are wrong
        3  `check` found a fault, `diff` a difference
      """,
    version: "apus, with SQLite \(SQLiteLibrary.version)",
    subcommands: [
      Tables.self, SchemaCommand.self, Show.self, QueryCommand.self, Explain.self, Check.self,
      Statistics.self, Diff.self, Watch.self, LogCommand.self, Export.self, Import.self,
      Backup.self, Generate.self,
    ])

  static func main() async { await runMain() }
}
