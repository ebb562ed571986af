import Apus
import ArgumentParser
import CommandInterface
import ToolOutput

struct QueryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "query",
    abstract: "Runs a statement that reads, and shows its rows.",
    discussion: """
      The statement cannot write: the file is opened read-only.

      EXAMPLES:
        apus query blog.sqlite 'SELECT status, count(*) FROM Post GROUP BY status'
        apus query blog.sqlite 'SELECT * FROM Post' --json | jq '.[].title'
      """)

  @OptionGroup var file: FileArgument
  @Argument(help: "The statement in SQL.")
  var sql: String
  @Option(help: "The largest number of rows of a table; JSON and CSV have all.")
  var limit = 1_000
  @OptionGroup var options: OutputOptions

  func run() throws {
    let output = options.output()
    do {
      _ = try file.open().read { connection in
        try output.rows(limit: limit) { names, row in
          try connection.forEachRow(of: SQL(unsafe: sql), names: names, row: row)
        }
      }
    } catch var error as DatabaseError where error.code.primary == .readOnly {
      error.message =
        "`apus query` only reads; write with the program of the file, or with `sqlite3`"
      throw error
    }
  }
}
