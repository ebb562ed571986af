import Apus
import ArgumentParser
import CommandInterface
import FileInspection
import ToolOutput

struct CheckCommand<Tool: ModelTool>: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "check",
      abstract: "Looks for damage, and for rows that the models cannot read.",
      discussion: """
        It reads all values of the models' columns, and compares the schema of the file with the \
        models. The exit status is 3 if it found a fault.
        """)
  }

  @OptionGroup var file: FileArgument
  @OptionGroup var options: TableOptions

  func run() throws {
    let database = try file.openForReading()
    var faults = try database.faults(isQuick: false, ProgressLine("checking"))
    if faults.isEmpty {
      var migration = Tool.migration
      migration.checksValues = true
      let progress = MigrationLine("checking")
      progress.follow(&migration)
      defer { progress.end() }
      let plan = try database.migrationPlan(for: Tool.models, migration)
      for step in plan.steps where !plan.isEmpty {
        let rows = step.rowCount.map { " (\($0) rows)" } ?? ""
        faults.append(
          FileFault(kind: "schema", table: step.table, text: step.reason + rows))
      }
    }
    let output = options.open()
    if output.format == .table, faults.isEmpty {
      return output.line("no fault was found", .green)
    }
    try output.rows(FileFault.columns, faults.map(\.values))
    guard faults.isEmpty else {
      output.flush()
      throw ExitStatus.found
    }
  }
}
