import Apus
import ArgumentParser
import CommandInterface
import Foundation

/// The command `apus`.
@main
struct ApusCommand: AsyncParsableCommand {
  /// The version of the tool, equal to the version of Apus.
  static let version = "0.2.0"

  static let configuration = CommandConfiguration(
    commandName: "apus",
    abstract: "Looks into SQLite files, and writes Swift models for them.",
    discussion: """
      All commands but import open the file read-only, and trust nothing in it. The output is a \
      table; --json and --csv are for programs. A file without a command shows its tables.

      EXAMPLES:
        apus blog.sqlite
        apus show blog.sqlite Post --limit 5
        apus query blog.sqlite 'SELECT count(*) FROM Post' --json
        apus watch blog.sqlite
        apus generate blog.sqlite --output Sources/Blog/Models

      EXIT STATUS:
        0    the command did what it was asked
        1    an error: the file cannot be read, the SQL is wrong, …
        2    the arguments are wrong
        3    `check` found a fault, `diff` a difference
        130  Ctrl-C ended the command; 143: SIGTERM
      """,
    version: "apus \(version), with SQLite \(SQLiteLibrary.version)",
    subcommands: [
      Tables.self, SchemaCommand.self, Show.self, QueryCommand.self, Explain.self, Check.self,
      Statistics.self, Diff.self, Watch.self, LogCommand.self, Export.self, Import.self,
      Backup.self, Generate.self,
    ])

  static func main() async {
    var arguments = Array(CommandLine.arguments.dropFirst())
    if let first = arguments.first, !first.hasPrefix("-"), !names.contains(first) {
      guard FileManager.default.fileExists(atPath: first) else {
        endForArguments(unknown(first))
      }
      arguments.insert("tables", at: 0)
    }
    await runMain(arguments)
  }

  /// The names of the commands.
  private static var names: [String] {
    configuration.subcommands.map { $0._commandName } + ["help"]
  }

  private static func unknown(_ word: String) -> String {
    let nearest = names.min { word.distance(to: $0) < word.distance(to: $1) }
    if let nearest, word.distance(to: nearest) <= max(1, nearest.count / 3) {
      return "there is no command \(word); did you mean `\(nearest)`?"
    }
    let isPath = word.contains { $0 == "/" || $0 == "." }
    return isPath
      ? "\(word) does not exist"
      : "there is no command and no file \(word); `apus --help` lists the commands"
  }
}

extension String {
  /// Returns the smallest number of edits that turn this word into the other. An edit inserts,
  /// deletes or replaces a character, or exchanges it with the next one.
  /// - SeeAlso: <https://en.wikipedia.org/wiki/Damerau–Levenshtein_distance>
  func distance(to other: String) -> Int {
    let (first, second) = (Array(self), Array(other))
    var rows = [Array(0...second.count)]
    for i in first.indices {
      var row = [i + 1]
      for j in second.indices {
        let isSame = first[i] == second[j]
        var least = min(row[j], rows[i][j + 1]) + 1
        least = min(least, rows[i][j] + (isSame ? 0 : 1))
        if i > 0, j > 0, first[i] == second[j - 1], first[i - 1] == second[j] {
          least = min(least, rows[i - 1][j - 1] + 1)
        }
        row.append(least)
      }
      rows.append(row)
    }
    return rows[first.count][second.count]
  }
}
