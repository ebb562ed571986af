import Apus
import ArgumentParser
import CommandInterface
import FileInspection

struct Tables: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Lists the tables and views of a file, with the number of their rows.",
    discussion: """
      EXAMPLES:
        apus tables blog.sqlite
        apus tables blog.sqlite --no-rows --json
      """)

  @OptionGroup var file: FileArgument
  @Flag(inversion: .prefixedNo, help: "Count the rows of tables, which reads each of them.")
  var rows = true
  @Flag(help: "List also the tables in which virtual tables keep their content.")
  var all = false
  @OptionGroup var options: TableOptions

  func run() throws {
    let lines = try file.read { connection in
      try Relation.all(in: connection).filter { all || $0.kind != .shadow }.map { relation in
        let columns = try connection.columns(ofTable: relation.name).count
        let counts = rows && relation.kind == .table
        let count =
          counts
          ? try connection.row("SELECT count(*) FROM \(identifier: relation.name)")?[0] : nil
        return [
          .text(relation.name), .text(relation.kind.rawValue), .integer(Int64(columns)),
          count ?? .null,
        ]
      }
    }
    try options.open().rows(["name", "kind", "columns", "rows"], lines)
  }
}
