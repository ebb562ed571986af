import Apus
import ArgumentParser
import CommandInterface
import FileInspection
import ToolOutput

struct Diff: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows what differs between two files: the schema and the rows.",
    discussion: """
      Rows are compared by the primary key. Rows of a table without one, or with different ones in \
      the two files, are compared as a whole. Columns that only one file has are a difference of the \
      schema, and are not compared. A table whose rows cannot be compared is named.

      The exit status is 3 if there is a difference.

      EXAMPLES:
        apus diff yesterday.sqlite blog.sqlite
        apus diff yesterday.sqlite blog.sqlite --tables Post,Author --json
        apus diff old.sqlite new.sqlite --schema-only
      """)

  @Argument(help: "The old file.", completion: .file())
  var old: String
  @Argument(help: "The new file.", completion: .file())
  var new: String
  @Option(help: "The tables, separated by commas. Default: all.")
  var tables: String?
  @Flag(help: "Do not compare the rows.")
  var schemaOnly = false
  @OptionGroup var options: OutputOptions

  func run() throws {
    let before = try FileArgument.open(old)
    let after = try FileArgument.open(new)
    let output = options.output()
    let writer = DifferenceWriter(output)
    var isFound = false
    var isComplete = true
    try before.read { before in
      try after.read { after in
        try compare(before, after) { difference in
          switch difference {
          case .schema(let difference):
            isFound = true
            writer.write(difference)
          case .row(let difference):
            isFound = true
            writer.write(difference)
          case .unknown(let table):
            isComplete = false
            writer.write(table)
          }
        }
      }
    }
    if !isFound, output.format == .table {
      output.line("no difference was found" + (isComplete ? "" : " in the other tables"), .green)
    }
    writer.end()
    if isFound { throw ExitStatus.found }
  }

  private enum Difference {
    case schema(SchemaDifference)
    case row(RowDifference)
    case unknown(UncomparedTable)
  }

  private func compare(
    _ before: Connection, _ after: Connection, _ body: (Difference) -> Void
  ) throws {
    let names = tables?.split(separator: ",").map(String.init)
    for name in names ?? [] where try !before.tableExists(name) {
      // If neither file has a table or view with this name, this call throws.
      _ = try Relation.named(name, in: after)
    }
    let old = try ComparedState(of: before, tables: names)
    let new = try ComparedState(of: after, tables: names)
    if names == nil {
      for difference in old.definitions.differences(to: new.definitions) {
        body(.schema(difference))
      }
    }
    guard !schemaOnly else { return }
    try old.read(before) { before in
      try new.read(after) { after in
        for pair in TablePair.pairs(old.shapes, new.shapes) {
          try TableComparison.changes(of: pair, old: before, new: after) {
            body(.row(pair.difference($0)))
          }
        }
      }
    }
    for table in old.uncompared + new.uncompared.filter({ !old.uncompared.contains($0) }) {
      body(.unknown(table))
    }
  }
}
