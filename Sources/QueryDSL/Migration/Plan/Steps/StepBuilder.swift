import SQLCore

/// Makes steps of the differences of one table: an ALTER TABLE for each change, or one rebuild if
/// any of them needs it, or refusals.
struct StepBuilder {
  private let table: TableComparison
  private var steps: [PlannedStep] = []
  /// The parts that stay although no model declares them; they follow the steps in the plan.
  private var kept: [PlannedStep] = []
  private var changes: [TableChange] = []
  /// The notes of conversions that are written or removed with the changes.
  private var conversions: [ConversionNote] = []
  /// The sources of the values in a rebuilt table, by the folded names of its columns.
  private(set) var sources: [String: TableRebuild.Source] = [:]
  /// The columns of unique indexes that a rebuild would violate and that are refused already.
  private(set) var refusedUnique: Set<[String]> = []

  init(_ table: TableComparison) {
    self.table = table
  }

  /// The steps in the order in which they run.
  var plannedSteps: [PlannedStep] { steps + kept }

  private var isRefused: Bool { steps.contains { $0.step.kind == .refused } }

  mutating func add(_ differences: [TableDifference]) {
    for difference in differences {
      switch difference {
      case .change(let change): changes.append(change)
      case .refusal(let refusal): add(refusal)
      case .step(let step): steps.append(step)
      case .kept(let step): kept.append(step)
      case .value(let source): sources[source.column.lowercasedASCII] = source
      case .conversion(let note): conversions.append(note)
      }
    }
  }

  private mutating func add(_ refusal: TableRefusal) {
    let lines = refusal.step.step.lines
    if refusal.isLeftOutIfOffered, steps.contains(where: { $0.step.lines == lines }) { return }
    steps.append(refusal.step)
    if let columns = refusal.uniqueColumns { refusedUnique.insert(columns) }
  }

  /// Adds the steps that make all changes which have been added.
  mutating func makeChanges() throws {
    guard !changes.isEmpty else { return }
    let alters = changes.compactMap(\.alter)
    if alters.count == changes.count {
      steps += alters
      steps[steps.count - 1].conversions = conversions
      return
    }
    // If any step is refused, none will run, and the reasons are planned already.
    guard !isRefused else { return }
    let rebuild = try TableRebuild(of: table, sources: sources)
    add(
      try RebuildVerifier(
        table: table, rebuild: rebuild, new: TableParser.parse(rebuild.createTable),
        sources: sources, steps: steps.map(\.step)
      ).differences())
    guard !isRefused else { return }
    var step = PlannedStep(
      MigrationPlan.Step(
        .rebuildTable,
        kind: changes.contains { $0.kind == .destructive } ? .destructive : .lossless,
        table: table.declared.name, sql: rebuild.sql,
        reason: uniqued(changes.map(\.reason)).joined(separator: "; ")),
      .rebuild(rebuild), touching: .all, of: table.names.table)
    step.conversions = conversions
    steps.append(step)
  }
}
