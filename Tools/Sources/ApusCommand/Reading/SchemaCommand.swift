import Apus
import ArgumentParser
import CommandInterface
import FileInspection
import ToolOutput

struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Prints the definitions of tables, indexes, views and triggers as SQL.",
    discussion: """
      With names, it prints the definitions of those tables and views, and of their indexes and \
      triggers.

      EXAMPLES:
        apus schema blog.sqlite
        apus schema blog.sqlite Post Author
      """)

  @OptionGroup var file: FileArgument
  @Argument(help: "The tables and views. Default: all.")
  var names: [String] = []
  @OptionGroup var options: OutputOptions

  func run() throws {
    let rows = try file.read { connection in
      let chosen = try names.map { try Relation.named($0, in: connection).name }
      return try connection.rows(
        "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid"
      ).map(\.values).filter { values in
        chosen.isEmpty || chosen.contains { values[2] == .text($0) }
      }
    }
    let output = options.output()
    guard output.format == .table else {
      return try output.rows(["type", "name", "table", "sql"], rows)
    }
    for row in rows {
      if case .text(let sql) = row[3] { output.text(sql + ";") }
    }
  }
}
