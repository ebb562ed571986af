import ArgumentParser
import ToolOutput

/// The options for the form and the width of a command's result.
package struct OutputOptions: ParsableArguments {
  @Flag(help: "Write JSON: an array with one object for each row.")
  package var json = false

  @Flag(help: "Write CSV with a first line of names.")
  package var csv = false

  @Option(help: "The width of tables and lines. Default: that of the terminal.")
  package var width: Int?

  @Flag(help: "Do not show what does not fit the screen through the program in PAGER.")
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
  /// - Parameters:
  ///   - layout: the way in which tables are shown.
  ///   - isPaged: whether a table on a terminal may be shown through a pager; false for a command
  ///     whose output grows while it is read.
  package func output(_ layout: TableLayout = TableLayout(), isPaged: Bool = true) -> Output {
    let width = width ?? Terminal.width
    guard isPaged, !noPager, format == .table, let pager = Pager.find() else {
      return Output(format: format, layout: layout, width: width)
    }
    return Output(format: format, layout: layout, width: width, write: pager.write)
  }
}

/// The options of a command whose result is a table.
package struct TableOptions: ParsableArguments {
  @OptionGroup package var output: OutputOptions

  @Flag(help: "Show a line for each value, with long texts in full.")
  package var vertical = false

  @Flag(help: "Write a table of Markdown, for a document.")
  package var markdown = false

  @Flag(help: "Show the types of the values.")
  package var types = false

  @Flag(help: "Show the numbers of the rows, from 1.")
  package var rowNumbers = false

  package init() {}

  package func validate() throws {
    let forms = [output.json, output.csv, vertical, markdown].count { $0 }
    guard forms <= 1 else {
      throw ValidationError("--json, --csv, --vertical and --markdown exclude each other.")
    }
  }

  /// The format that the options ask for.
  package var format: OutputFormat { output.format }

  /// Returns the output that the options ask for.
  package func open() -> Output {
    var layout = TableLayout()
    layout.form = vertical ? .vertical : markdown ? .markdown : .frame
    layout.showsTypes = types
    layout.showsRowNumbers = rowNumbers
    return output.output(layout)
  }
}
