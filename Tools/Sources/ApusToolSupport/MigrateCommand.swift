import Apus
import ArgumentParser
import CommandInterface
import Foundation
import ToolOutput

struct MigrateCommand<Tool: ModelTool>: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "migrate",
      abstract: "Migrates a file to the models, in one transaction, and shows what was done.",
      discussion: """
        A migration that would lose data is refused, unless a schema or the options of the program \
        permit it; the file stays as it was.
        """)
  }

  @OptionGroup var file: FileArgument
  @Option(help: "Copy the file to this path before it is changed.", completion: .file())
  var copy: String?
  @Flag(help: "Create the file if it does not exist.")
  var create = false

  func run() throws {
    let path = FileArgument.literal(file.file)
    guard create || FileManager.default.fileExists(atPath: path) else {
      throw ReadableError("\(file.file) does not exist; --create creates it")
    }
    let progress = ProgressLine("migrating")
    let shown = Shown(progress)
    var options = Tool.migration
    if let copy { options.copyPath = FileArgument.literal(copy) }
    let own = options.progress
    options.progress = { step in
      try Interruption.check()
      shown.update(step.copiedRows, of: step.rowCount)
      try own?(step)
    }
    let database = try FileArgument.open(file.file, Configuration())
    let plan: MigrationPlan
    do {
      plan = try database.migrate(Tool.models, options)
    } catch  where Interruption.isRequested {
      try? database.close()
      throw Interruption.Failure("nothing was migrated")
    }
    progress.end()
    let output = Output(format: .table)
    output.text("\(plan)")
  }
}

/// `@unchecked Sendable`: the migration calls its closure on one thread at a time, and the line is
/// used by nothing else meanwhile.
private final class Shown: @unchecked Sendable {
  private let line: ProgressLine

  init(_ line: ProgressLine) { self.line = line }

  func update(_ count: Int, of total: Int) { line.update(rows: (count, of: total)) }
}
