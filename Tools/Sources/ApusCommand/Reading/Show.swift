import Apus
import ArgumentParser
import CommandInterface
import FileInspection
import ToolOutput

struct Show: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows the rows of a table or view.",
    discussion: """
      EXAMPLES:
        apus show blog.sqlite Post
        apus show blog.sqlite Post --columns id,title --where 'views > 100' --order 'views DESC'
        apus show blog.sqlite Post --csv > posts.csv
      """)

  @OptionGroup var file: FileArgument
  @Argument(help: "The table or view.")
  var table: String
  @Option(help: "The columns, separated by commas. Default: all.")
  var columns: String?
  @Option(name: .customLong("where"), help: "A condition in SQL.")
  var condition: String?
  @Option(help: "The order in SQL, such as 'views DESC'.")
  var order: String?
  @Option(help: "The largest number of rows. Default: 100 in a table, all in JSON and CSV.")
  var limit: Int?
  @OptionGroup var options: TableOptions

  func run() throws {
    let output = options.open()
    let limit = limit ?? (output.format == .table ? 100 : Int.max)
    try file.read { connection in
      let name = try Relation.named(table, in: connection).name
      var sql: SQL = "SELECT \(try selection(of: name, connection)) FROM \(identifier: name)"
      if let condition { sql.append("\nWHERE \(unsafe: condition)") }
      if let order { sql.append("\nORDER BY \(unsafe: order)") }
      try output.rows(of: sql, in: connection, limit: limit)
    }
  }

  /// Returns the requested columns as SQL. If the table has no column with a requested name, throws
  /// an error that lists the existing columns.
  private func selection(of table: String, _ connection: Connection) throws -> SQL {
    guard let columns else { return "*" }
    let existing = try connection.columns(ofTable: table).map(\.name)
    var sql: SQL = ""
    for (index, name) in columns.split(separator: ",").map(String.init).enumerated() {
      let trimmed = name.drop { $0 == " " }
      guard let found = existing.first(where: { $0.lowercased() == trimmed.lowercased() }) else {
        throw ReadableError(
          "\(table) has no column \(trimmed); there are: \(existing.joined(separator: ", "))")
      }
      sql.append(index == 0 ? "\(identifier: found)" : ", \(identifier: found)")
    }
    return sql.text.isEmpty ? "*" : sql
  }
}
