import Apus
import ArgumentParser
import CommandInterface
import ToolOutput

struct PlanCommand<Tool: ModelTool>: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "plan",
      abstract: "Shows what a migration would do. Nothing is written.",
      discussion: """
        The exit status is 3 if there is something to migrate, and 1 if the migration is refused.
        """)
  }

  @OptionGroup var file: FileArgument
  @Flag(help: "Read all values, to find those that their types cannot read.")
  var values = false

  func run() throws {
    var options = Tool.migration
    if values { options.checksValues = true }
    let progress = MigrationLine("planning")
    progress.follow(&options)
    let plan = try file.openForReading().migrationPlan(for: Tool.models, options)
    progress.end()
    let output = Output(format: .table)
    output.text("\(plan)")
    output.flush()
    guard plan.refusals.isEmpty else { throw ExitStatus.failure }
    guard plan.isEmpty else { throw ExitStatus.found }
  }
}
