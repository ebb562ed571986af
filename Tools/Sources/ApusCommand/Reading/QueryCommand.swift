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
        apus query blog.sqlite - < report.sql
      """)

  @OptionGroup var file: FileArgument
  @Argument(help: "The statement in SQL; - for the standard input.")
  var sql: String
  @Option(help: "The largest number of rows of a table; JSON and CSV have all.")
  var limit = 1_000
  @OptionGroup var options: TableOptions

  func run() throws {
    let sql = try StatementArgument.sql(sql)
    let output = options.open()
    try file.read { connection in
      do {
        _ = try output.rows(
          of: sql, in: connection, limit: output.format == .table ? limit : .max)
      } catch let error as DatabaseError where error.code.primary == .readOnly {
        throw ReadableError(
          "`apus query` only reads; write with the program of the file, or with `sqlite3`")
      }
    }
  }
}
