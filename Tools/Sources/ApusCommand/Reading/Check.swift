import ArgumentParser
import CommandInterface
import FileInspection
import ToolOutput

struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Looks for damage: in the file, in foreign keys and in full-text indexes.",
    discussion: """
      Full-text indexes can only be checked by a connection that may write. If the file has any, it \
      is copied into the temporary folder, and the copy is checked.

      The exit status is 3 if a fault was found, and 1 if the file could not be checked.

      EXAMPLES:
        apus check blog.sqlite
        apus check blog.sqlite --quick && echo fine
      """)

  @OptionGroup var file: FileArgument
  @Flag(help: "Do not compare indexes with their tables, which takes most of the time.")
  var quick = false
  @OptionGroup var options: TableOptions

  func run() throws {
    let faults = try file.open().faults(isQuick: quick, ProgressLine("checking")).map(\.values)
    let output = options.open()
    if output.format == .table, faults.isEmpty {
      return output.line("no fault was found", .green)
    }
    try output.rows(FileFault.columns, faults)
    guard faults.isEmpty else {
      output.flush()
      throw ExitStatus.found
    }
  }
}
