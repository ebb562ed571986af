import ArgumentParser
import ToolOutput

/// How a command writes its result.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Write JSON: an array with one object for each row.")
  var json = false

  @Flag(help: "Write CSV with a first line of names.")
  var csv = false

  @Option(help: "The width of tables. Default: that of the terminal.")
  var width: Int?

  func validate() throws {
    guard !(json && csv) else { throw ValidationError("--json and --csv exclude each other.") }
    if let width, width < 1 { throw ValidationError("--width must be at least 1.") }
  }

  /// The format that the options ask for.
  var format: OutputFormat { json ? .json : csv ? .csv : .table }

  /// The output that the options ask for.
  func output() -> Output { Output(format: format, width: width ?? Terminal.width) }
}
