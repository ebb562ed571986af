import ArgumentParser
import ToolOutput

/// The options for the form and the width of a command's result.
package struct OutputOptions: ParsableArguments {
  @Flag(help: "Write JSON: an array with one object for each row.")
  package var json = false

  @Flag(help: "Write CSV with a first line of names.")
  package var csv = false

  @Option(help: "The width of tables. Default: that of the terminal.")
  package var width: Int?

  @Flag(help: "Do not show tables through the program in PAGER.")
  package var noPager = false

  package init() {}

  package func validate() throws {
    guard !(json && csv) else { throw ValidationError("--json and --csv exclude each other.") }
    if let width, width < 1 { throw ValidationError("--width must be at least 1.") }
  }

  /// The format that the options ask for.
  package var format: OutputFormat { json ? .json : csv ? .csv : .table }

  /// Returns the output that the options ask for.
  ///
  /// - Parameter isPaged: whether a table on a terminal may be shown through a pager; false for a
  ///   command whose output grows while it is read.
  package func output(isPaged: Bool = true) -> Output {
    let width = width ?? Terminal.width
    guard isPaged, !noPager, format == .table, let pager = Pager.start() else {
      return Output(format: format, width: width)
    }
    return Output(format: format, width: width, write: pager.write)
  }
}
