import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension MigrationPlanner {
  /// The steps without those that would undo what a newer program did.
  ///
  /// The history is read only if there is something to do.
  func steps(for declared: Declarations) throws -> [PlannedStep] {
    let schema = try LiveSchema(of: connection)
    let steps = try steps(for: declared, in: schema)
    guard newerSchema != .replaced, steps.contains(where: { !$0.step.isKept }),
      let history = try SchemaHistory(in: connection)
    else { return steps }
    let judge = NewerSchemaJudge(
      planner: self, declared: declared, schema: schema, history: history,
      steps: steps.map(\.step),
      converted: Set(steps.filter(\.convertsValues).map(\.step.table.lowercasedASCII)))
    let newer = judge.newerSteps()
    guard !newer.isEmpty else { return steps }
    let names = Set(newer.map(\.table.lowercasedASCII))
    return try self.steps(for: declared.without(names), in: schema)
      + newer.map { PlannedStep($0) }
  }
}

extension PlannedStep {
  /// Whether values become others: by a declared conversion, or from one form into another.
  fileprivate var convertsValues: Bool {
    guard case .rebuild(let rebuild) = work else { return !conversions.isEmpty }
    return !conversions.isEmpty
      || rebuild.sources.contains { !$0.isSame && $0.sql != Identifier($0.column).quoted }
  }
}

/// Finds the tables and views that a newer program changed, and what becomes of them.
private struct NewerSchemaJudge {
  let planner: MigrationPlanner
  let declared: Declarations
  let schema: LiveSchema
  let history: SchemaHistory
  /// What would be done.
  let steps: [MigrationPlan.Step]
  /// The tables of which it would convert values, folded.
  let converted: Set<String>

  /// A step for each table or view that is newer, in the place of those that would change it.
  func newerSteps() -> [MigrationPlan.Step] {
    var newer: [MigrationPlan.Step] = []
    for table in declared.tables {
      let undoing = undoing([table.name] + table.formerNames)
      guard !undoing.isEmpty,
        let since = date(
          ofNewer: table.name, { opens($0, as: table) }, knowsMore: { knowsMore(table, than: $0) })
      else { continue }
      newer.append(step(table.name, since, undoing, obstacles(to: table)))
    }
    for view in declared.views {
      let undoing = undoing([view.name])
      let sql = view.createView.normalSQL
      guard !undoing.isEmpty,
        let since = date(ofNewer: view.name, { $0.parts.first?.sql.normalSQL == sql })
      else { continue }
      let isThere = schema.relation(view.name) != nil
      newer.append(step(view.name, since, undoing, isThere ? [] : ["the view is not there"]))
    }
    for removal in declared.removals {
      guard let name = removal.relation else { continue }
      let undoing = undoing([name])
      guard !undoing.isEmpty, let since = date(ofNewer: name, { $0.parts.isEmpty }) else {
        continue
      }
      newer.append(step(name, since, undoing, []))
    }
    var seen: Set<String> = []
    return newer.filter { seen.insert($0.table.lowercasedASCII).inserted }
  }

  private func undoing(_ names: [String]) -> [MigrationPlan.Step] {
    steps.filter { step in !step.isKept && names.contains { $0.isSame(as: step.table) } }
  }

  // MARK: Is it newer?

  /// When the file became newer than a program; nil if it is not.
  ///
  /// - Parameters:
  ///   - isDeclared: whether a state is what the program declares.
  ///   - knowsMore: whether the program drops something that came after some states: then it knows
  ///     what came, and is not the older one.
  private func date(
    ofNewer name: String, _ isDeclared: (SchemaHistory.State) -> Bool,
    knowsMore: (ArraySlice<SchemaHistory.State>) -> Bool = { _ in false }
  ) -> Date? {
    if let number = planner.schemaVersion {
      guard let version = history.version, number <= version.number else { return nil }
      if number < version.number { return version.date }
    }
    let states = history.states(of: name)
    guard let last = states.last, !isDeclared(last),
      let index = states.dropLast().lastIndex(where: isDeclared), !knowsMore(states[...index])
    else { return nil }
    return states[index + 1].date
  }

  /// Whether a program with that table would open a file with that state, and change nothing.
  ///
  /// Nothing of the remembered SQL runs: it is only read. Where a comparison asks for rows, as it
  /// does of columns that differ, there are none, and the answer is no.
  private func opens(_ state: SchemaHistory.State, as table: TableDefinition) -> Bool {
    guard !state.parts.isEmpty, let empty = try? Connection() else { return false }
    var table = table
    // A declared conversion is about values, and a state is none of them.
    for index in table.columns.indices { table.columns[index].conversion = nil }
    var planner = MigrationPlanner(connection: empty)
    planner.declaredViews = self.planner.declaredViews
    let steps = try? planner.steps(
      for: Declarations(tables: [table], views: []), in: LiveSchema(of: state))
    return steps?.allSatisfy(\.step.isKept) ?? false
  }

  /// Whether the schema of a table drops a column or an index that is there and was in none of the
  /// earlier states.
  private func knowsMore(
    _ table: TableDefinition, than earlier: ArraySlice<SchemaHistory.State>
  ) -> Bool {
    func has(_ schema: LiveSchema, _ removal: Removal) -> Bool {
      switch removal {
      case .index(let name): schema.entry(name) != nil
      case .column(let name): (try? schema.table(table.name))?.column(name) != nil
      default: false
      }
    }
    let earlier = earlier.map { LiveSchema(of: $0) }
    return table.removals.contains { removal in
      has(schema, removal) && !earlier.contains { has($0, removal) }
    }
  }

  // MARK: What becomes of it?

  private func step(
    _ name: String, _ date: Date, _ undoing: [MigrationPlan.Step], _ obstacles: [String]
  ) -> MigrationPlan.Step {
    let day = date.formatted(.iso8601)
    var reason = "a newer program changed it on \(day)"
    if let version = history.version, let number = planner.schemaVersion, number < version.number {
      reason =
        "the file has schema version \(version.number) since \(day), and this program \(number)"
    }
    let titles = undoing.filter { $0.kind != .refused }.map(\.action.title).uniqued()
    reason +=
      titles.isEmpty
      ? "; this one declares it otherwise" : "; this one would \(titles.joined(separator: ", "))"
    let number = max(planner.schemaVersion ?? 0, history.version?.number ?? 0) + 1
    let lost = undoing.filter { $0.kind == .destructive }.map(\.action.title).uniqued()
    let line =
      "MigrationOptions(schemaVersion: \(number))"
      + (lost.isEmpty ? "" : "  // loses data: \(lost.joined(separator: ", ").inComment)")
    guard obstacles.isEmpty, planner.newerSchema == .kept else {
      let why =
        obstacles.isEmpty
        ? "`newerSchema` is `.refused`"
        : "cannot work with it as it is: \(obstacles.joined(separator: "; "))"
      return MigrationPlan.Step(
        .refuse, table: name,
        reason: "\(reason), and \(why). Update the program, or say that it is the newer one",
        line: line)
    }
    return MigrationPlan.Step(
      .keepNewer, table: name, reason: "\(reason), and leaves it as it is", line: line)
  }

  /// Why a program cannot work with a table as it is.
  private func obstacles(to table: TableDefinition) -> [String] {
    guard let existing = try? schema.table(table.name) else { return ["the table is not there"] }
    var obstacles: [String] = []
    if converted.contains(table.name.lowercasedASCII) {
      obstacles.append("its values would have to be converted")
    }
    for column in table.columns {
      guard let found = existing.column(column.name) else {
        obstacles.append("the column \(column.name) is not there")
        continue
      }
      if StorageClass(declaredType: found.type) != column.storageClass {
        let type = found.type.isEmpty ? "untyped" : found.type
        obstacles.append("\(column.name) is \(type), and \(column.storageClass.rawValue) here")
      } else if (found.generated == nil) != (column.generated == nil) {
        let (there, here) =
          found.generated == nil ? ("written", "calculated") : ("calculated", "written")
        obstacles.append("\(column.name) is \(there), and \(here) here")
      }
    }
    if existing.key.columns.map(\.lowercasedASCII) != table.keyNames.map(\.lowercasedASCII) {
      let key = existing.key.columns.joined(separator: ", ")
      obstacles.append("its key is (\(key)), and (\(table.keyNames.joined(separator: ", "))) here")
    }
    for column in existing.columns
    where column.isNotNull && column.defaultText == nil && column.generated == nil
      && !table.declares(column.name) && !existing.isKey(column.name)
    {
      obstacles.append("\(column.name) must be written, and is not known here")
    }
    return obstacles
  }
}

extension Removal {
  /// The name of the table or view that goes.
  fileprivate var relation: String? {
    switch self {
    case .table(let name), .view(let name): name
    default: nil
    }
  }
}

extension Declarations {
  /// What is declared besides tables and views of some names, folded; they are not dropped either.
  fileprivate func without(_ names: Set<String>) -> Declarations {
    let tables = tables.filter { !names.contains($0.name.lowercasedASCII) }.map { table in
      var table = table
      table.removals = table.removals.filter { removal in
        removal.relation.map { !names.contains($0.lowercasedASCII) } ?? true
      }
      return table
    }
    return Declarations(
      tables: tables, views: views.filter { !names.contains($0.name.lowercasedASCII) })
  }
}

extension MigrationPlan {
  /// The tables and views that stay as a newer program made them.
  var newerNames: [String] { steps.filter { $0.action == .keepNewer }.map(\.table) }
}
