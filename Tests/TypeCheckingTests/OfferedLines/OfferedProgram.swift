import Apus
import Foundation

/// A line to paste that a plan offers.
struct OfferedLine: Sendable {
  let sample: OfferedLineSample
  let step: MigrationPlan.Step
  /// The line; one of several lines has a place for each.
  let text: String

  /// The lines of all steps of the plan that a sample gets.
  static func all(for sample: OfferedLineSample) throws -> [OfferedLine] {
    let db = try Database.temporary()
    for model in sample.history { try db.migrate([model]) }
    try db.execute("\(unsafe: sample.sql)")
    let plan = try db.migrationPlan(for: sample.models)
    return plan.steps.flatMap { step in
      step.lines.map { OfferedLine(sample: sample, step: step, text: $0) }
    }
  }
}

/// A program in which each line stands where a user would paste it: in a model, in its schema, in
/// the options of a migration.
///
/// Run, it migrates the same file again, with the line, and prints what did not come of it.
struct OfferedProgram {
  private let texts: ModelTexts

  init() throws {
    texts = try ModelTexts()
  }

  func source(of lines: [OfferedLine]) throws -> String {
    let pasted = try lines.enumerated().map { try source(of: $1, number: $0) }
    let calls = lines.indices.map { "    Pasted\($0).check()" }
    return """
      \(texts.types)
      \(Self.check)
      \(pasted.joined(separator: "\n"))
      @main struct Main {
        static func main() {
      \(calls.joined(separator: "\n"))
          print("checked \(lines.count)")
        }
      }
      """
  }

  private func source(of line: OfferedLine, number: Int) throws -> String {
    let sample = line.sample
    var models = try sample.models.map { try texts.model($0) }
    var options = "MigrationOptions()"
    for part in line.text.split(separator: "\n").map(String.init) {
      if part.hasPrefix("MigrationOptions(") {
        options = part
      } else if part.hasPrefix("MigrationStep(") {
        options = "MigrationOptions(steps: [\n      \(part)\n    ])"
      } else {
        paste(part, into: &models, of: line.step)
      }
    }
    return """
      // \(sample.title.debugDescription)
      enum Pasted\(number) {
        enum Before {
      \(try sample.history.map { try texts.model($0).text }.joined(separator: "\n"))
        }
      \(models.map(\.text).joined(separator: "\n"))
        static func check() {
          let options =
            \(options)
          checkPasted(
            \(number), \(sample.sql.debugDescription),
            history: [\(sample.history.map { "Before.\($0).self" }.joined(separator: ", "))],
            [\(sample.models.map { "\($0).self" }.joined(separator: ", "))], options,
            \("\(line.step.action)".debugDescription),
            \(line.step.reason.debugDescription))
        }
      }
      """
  }

  /// Pastes a line into the models that it is about.
  private func paste(
    _ line: String, into models: inout [ModelText], of step: MigrationPlan.Step
  ) {
    let place = line.firstRange(of: "  // in the schema of ").map { line[$0.upperBound...] }
    let table = place.map(String.init) ?? step.table
    func isOfTable(_ model: ModelText) -> Bool {
      model.tableName.lowercased() == table.lowercased()
    }
    if let property = ModelText.property(in: line), place == nil {
      // Several models of one table that contradict each other are to be alike.
      let declaring = models.indices.filter { models[$0].declares(property) }
      if !declaring.isEmpty {
        for index in declaring { models[index].paste(line) }
        return
      }
    }
    let isForTables = line.hasPrefix("Dropped(")
    let index =
      models.firstIndex { isOfTable($0) && !(isForTables && $0.isView) }
      ?? models.firstIndex { !(isForTables && $0.isView) } ?? 0
    models[index].paste(line)
  }

  private static let check = """
    func checkPasted(
      _ number: Int, _ sql: String, history: [any Model.Type], _ models: [any Model.Type],
      _ options: MigrationOptions, _ action: String, _ reason: String
    ) {
      do {
        let db = try Database.temporary()
        for model in history { try db.migrate([model]) }
        try db.execute("\\(unsafe: sql)")
        let plan = try db.migrationPlan(for: models, options)
        if plan.steps.contains(where: { $0.reason == reason && "\\($0.action)" == action }) {
          print("\\(number): \\(action): \\(reason)")
        }
        guard plan.refusals.isEmpty else { return }
        try db.migrate(models, options)
        let again = try db.migrationPlan(for: models, options)
        if !again.isEmpty { print("\\(number): \\(again)") }
      } catch let error as MigrationError {
        // Another line has to be pasted as well.
        guard error.plan.refusals.isEmpty || error.plan.refusals.contains(where: { $0.reason == reason })
        else { return }
        print("\\(number): \\(error)")
      } catch {
        print("\\(number): \\(error)")
      }
    }
    """
}
