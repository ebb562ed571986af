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
    let progress = MigrationLine("migrating")
    var options = Tool.migration
    if let copy { options.copyPath = FileArgument.literal(copy) }
    progress.follow(&options)
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

/// The line on the terminal that shows the progress of a migration, or of a check of the values:
///
///     migrating Post: 45 %, 450,000 of 1,000,000 rows, 0:03 left
///
/// `@unchecked Sendable`: the migration calls its closure on one thread at a time, and nothing else
/// uses the line during that time.
final class MigrationLine: @unchecked Sendable {
  private let verb: String
  private let line: ProgressLine
  private var last: MigrationProgress?

  init(_ verb: String) {
    self.verb = verb
    line = ProgressLine(verb)
  }

  /// Shows the progress of a migration in the line, and lets Ctrl-C end the migration.
  func follow(_ options: inout MigrationOptions) {
    let own = options.progress
    options.progress = { step in
      try Interruption.check()
      self.show(step)
      try own?(step)
    }
  }

  private func show(_ step: MigrationProgress) {
    if last?.table != step.table || last?.sql != step.sql {
      let values = "-- check the values of "
      line.begin(
        step.sql.hasPrefix(values)
          ? "checking \(step.table).\(step.sql.dropFirst(values.count))" : "\(verb) \(step.table)")
    }
    last = step
    guard step.rowCount > 0 else { return }
    line.update(rows: (step.copiedRows, of: step.rowCount))
  }

  func end() { line.end() }
}
