import Apus
import ArgumentParser
import CommandInterface
import FileInspection
import Foundation
import ToolOutput

struct Export: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes the rows of a table, view or statement as CSV or JSON.",
    discussion: """
      The form follows the name of the output, or is CSV. A file appears in one step, when it is \
      complete.

      EXAMPLES:
        apus export blog.sqlite Post --output posts.csv
        apus export blog.sqlite Post --json > posts.json
        apus export blog.sqlite --query 'SELECT title FROM Post' --output titles.json
      """)

  @OptionGroup var file: FileArgument
  @Argument(help: "The table or view.")
  var table: String?
  @Option(help: "A statement in SQL, instead of a table.")
  var query: String?
  @Option(help: "The file that is written. Default: the standard output.", completion: .file())
  var output: String?
  @Flag(help: "Write JSON: an array with one object for each row.")
  var json = false
  @Flag(help: "Write CSV with a first line of names.")
  var csv = false
  @Flag(help: "Replace the file that exists there.")
  var force = false

  func validate() throws {
    guard !(json && csv) else { throw ValidationError("--json and --csv exclude each other.") }
    guard (table == nil) != (query == nil) else {
      throw ValidationError("Name a table, or give a statement with --query.")
    }
  }

  private var format: OutputFormat {
    json || !csv && output?.lowercased().hasSuffix(".json") ?? false ? .json : .csv
  }

  func run() throws {
    guard let output else {
      let count = try write(to: Output(format: format, width: nil))
      if !Terminal.isOutput { ErrorOutput.write(count.rows("written")) }
      return
    }
    guard force || !FileManager.default.fileExists(atPath: output) else {
      throw ReadableError("\(output) exists already; --force replaces it")
    }
    let part = try PartialFile(replacing: output)
    let count: Int
    do {
      count = try write(
        to: Output(
          format: format, width: nil, isColored: false, isTerminal: false, write: part.write))
    } catch  where Interruption.isRequested {
      throw Interruption.Failure("nothing was written")
    }
    try part.complete()
    ErrorOutput.write(count.rows("written to \(output)"))
  }

  private func write(to output: Output) throws -> Int {
    let progress = ProgressLine("exporting", isVisible: self.output != nil || !Terminal.isOutput)
    let query = try query.map { try StatementArgument.sql($0) }
    return try file.read { connection in
      var sql = query ?? ""
      var total: Int?
      if let table {
        let name = try Relation.named(table, in: connection).name
        sql = "SELECT * FROM \(identifier: name)"
        if ErrorOutput.isTerminal {
          total = try connection.row("SELECT count(*) FROM \(identifier: name)")?.get(at: 0)
        }
      }
      return try output.rows(of: sql, in: connection) { rows, bytes in
        progress.update(bytes: (bytes, of: nil), rows: (rows, of: total))
      }
    }
  }
}
