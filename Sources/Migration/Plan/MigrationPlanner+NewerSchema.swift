import QueryDSL
import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension MigrationPlanner {
  /// Returns the steps without those that would undo a newer program's changes. The history shows
  /// which changes a newer program made.
  func steps(
    _ steps: [PlannedStep], for declared: Declarations, in schema: ExistingSchema,
    _ history: SchemaHistory
  ) throws -> [PlannedStep] {
    let judge = NewerSchemaJudge(
      planner: self, declared: declared, schema: schema, history: history,
      steps: steps.map(\.step),
      converted: Set(steps.filter(\.convertsValues).map(\.step.table.lowercasedASCII)))
    let newer = judge.newerSteps()
    guard !newer.isEmpty else { return steps }
    let names = Set(newer.map(\.table.lowercasedASCII))
    return try allSteps(for: declared.without(names), in: schema)
      + newer.map { PlannedStep($0) }
  }
}

extension PlannedStep {
  /// Whether the step changes values by a declared conversion, or from one form to another.
  fileprivate var convertsValues: Bool {
    guard case .rebuild(let rebuild) = work else { return !conversions.isEmpty }
    return !conversions.isEmpty
      || rebuild.sources.contains { !$0.isSame && $0.sql != Identifier($0.column).quoted }
  }
}

/// Finds the tables and views that a newer program changed, and decides whether this program can
/// work with them.
private struct NewerSchemaJudge {
  let planner: MigrationPlanner
  let declared: Declarations
  let schema: ExistingSchema
  let history: SchemaHistory
  /// All planned steps, including those that would undo the newer program's changes.
  let steps: [MigrationPlan.Step]
  /// The names, in lower case, of the tables whose values the steps would convert.
  let converted: Set<String>

  /// Returns one step for each table or view that a newer program changed. This step replaces the
  /// steps that would undo the change.
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
      let parts = ([view.createView] + view.triggers.map(\.sql).sorted()).map(\.normalSQL)
      guard !undoing.isEmpty,
        let since = date(
          ofNewer: view.name,
          { state in
            let sql = state.parts.map(\.sql)
            return (sql.prefix(1) + sql.dropFirst().sorted()).map(\.normalSQL) == parts
          })
      else { continue }
      let isThere = schema.relation(view.name) != nil
      newer.append(step(view.name, since, undoing, isThere ? [] : ["the view does not exist"]))
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

  // MARK: Finding out whether a table is newer

  /// Returns the time at which the file became newer than this program; nil if the file is not
  /// newer.
  ///
  /// - Parameters:
  ///   - isDeclared: returns whether a noted state equals the program's declarations.
  ///   - knowsMore: returns whether the program drops an object that was added after the given
  ///     states. Such a program knows the later state, so it is not older than the file.
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

  /// Returns whether a program that declares this table would open a file in this state without
  /// changing it.
  ///
  /// The SQL of the state is parsed, but does not run. If columns differ, the comparison would have
  /// to read rows. It then fails, because the planner works on an empty database, and this method
  /// returns false.
  private func opens(_ state: SchemaHistory.State, as table: TableDefinition) -> Bool {
    guard !state.parts.isEmpty, let empty = try? Connection() else { return false }
    var table = table
    // Declared conversions are left out, because they concern values, and a noted state has no
    // values.
    for index in table.columns.indices { table.columns[index].conversion = nil }
    var planner = MigrationPlanner(connection: empty)
    planner.declaredViews = self.planner.declaredViews
    let steps = try? planner.allSteps(
      for: Declarations(tables: [table], views: []), in: ExistingSchema(of: state))
    return steps?.allSatisfy(\.step.isKept) ?? false
  }

  /// Returns whether the schema of a table drops a column, an index, a trigger or a full-text index
  /// that exists now but in none of the earlier states.
  private func knowsMore(
    _ table: TableDefinition, than earlier: ArraySlice<SchemaHistory.State>
  ) -> Bool {
    func has(_ schema: ExistingSchema, _ removal: Removal) -> Bool {
      switch removal {
      case .index(let name): schema.entry(name) != nil
      case .trigger(let name): schema.hasTrigger(name)
      case .searchIndex(let name): schema.entry(name) != nil
      case .log: !schema.logTriggers(of: table.name).isEmpty
      case .column(let name): (try? schema.table(table.name))?.column(name) != nil
      default: false
      }
    }
    let earlier = earlier.map { ExistingSchema(of: $0) }
    return table.removals.contains { removal in
      has(schema, removal) && !earlier.contains { has($0, removal) }
    }
  }

  // MARK: Deciding what happens to a newer table

  private func step(
    _ name: String, _ date: Date, _ undoing: [MigrationPlan.Step], _ obstacles: [String]
  ) -> MigrationPlan.Step {
    let day = date.formatted(.iso8601)
    var reason = "a newer program changed it on \(day)"
    if let version = history.version, let number = planner.schemaVersion, number < version.number {
      reason =
        "the file has had schema version \(version.number) since \(day), and this program has "
        + "version \(number)"
    }
    let titles = uniqued(undoing.filter { $0.kind != .refused }.map(\.action.title))
    reason +=
      titles.isEmpty
      ? "; this program declares it differently"
      : "; this program would \(titles.joined(separator: ", "))"
    // The sum must not overflow, because the schema version of a file may even be the greatest
    // integer.
    let number = min(max(planner.schemaVersion ?? 0, history.version?.number ?? 0), .max - 1) + 1
    let lost = uniqued(undoing.filter { $0.kind == .destructive }.map(\.action.title))
    let line =
      "MigrationOptions(schemaVersion: \(number))"
      + (lost.isEmpty ? "" : "  // loses data: \(lost.joined(separator: ", ").inComment)")
    guard obstacles.isEmpty, planner.newerSchema == .kept else {
      let why =
        obstacles.isEmpty
        ? "but `newerSchema` is `.refused`"
        : "and cannot work with it as it is: \(obstacles.joined(separator: "; "))"
      return MigrationPlan.Step(
        .refuse, table: name,
        reason: "\(reason), \(why). Update the program, or give it a higher schema version if it "
          + "is the newer one", line: line)
    }
    return MigrationPlan.Step(
      .keepNewer, table: name, reason: "\(reason), but leaves it as it is", line: line)
  }

  /// Returns the reasons why this program cannot work with the existing table.
  private func obstacles(to table: TableDefinition) -> [String] {
    guard let existing = try? schema.table(table.name) else { return ["the table does not exist"] }
    var obstacles: [String] = []
    if converted.contains(table.name.lowercasedASCII) {
      obstacles.append("its values would have to be converted")
    }
    for column in table.columns {
      guard let found = existing.column(column.name) else {
        obstacles.append("the column \(column.name) does not exist")
        continue
      }
      if StorageClass(declaredType: found.type) != column.storageClass {
        let type = found.type.isEmpty ? "untyped" : found.type
        obstacles.append(
          "\(column.name) is \(type) in the file and \(column.storageClass.rawValue) in this "
            + "program")
      } else if (found.generated == nil) != (column.generated == nil) {
        let (ordinary, generated) = ("an ordinary column", "a generated column")
        let (there, here) =
          found.generated == nil ? (ordinary, generated) : (generated, ordinary)
        obstacles.append(
          "\(column.name) is \(there) in the file and \(here) in this program")
      }
    }
    if !table.keyNames.isEmpty,
      existing.key.columns.map(\.lowercasedASCII) != table.keyNames.map(\.lowercasedASCII)
    {
      let key = existing.key.columns.joined(separator: ", ")
      obstacles.append(
        "its key is (\(key)) in the file and "
          + "(\(table.keyNames.joined(separator: ", "))) in this program")
    }
    for column in existing.columns
    where column.isNotNull && column.defaultText == nil && column.generated == nil
      && !table.declares(column.name) && !existing.isKey(column.name)
    {
      obstacles.append("\(column.name) needs a value, and this program does not declare it")
    }
    return obstacles
  }
}

extension Removal {
  /// The name of the dropped table or view; nil for other removals.
  fileprivate var relation: String? {
    switch self {
    case .table(let name), .view(let name): name
    default: nil
    }
  }
}

extension Declarations {
  /// Returns the declarations without the tables and views of the given names, which are in lower
  /// case. The result does not drop these tables and views, either.
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
