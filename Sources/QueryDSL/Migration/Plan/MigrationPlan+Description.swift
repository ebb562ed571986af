extension MigrationPlan: CustomStringConvertible {
  /// The plan as a difference. A sign begins each step: `+` adds, `-` removes, `~` changes, `=`
  /// keeps, `!` is refused, and `?` marks a step that one of the user's own steps may still make
  /// possible.
  public var description: String {
    guard !steps.isEmpty else { return "nothing to migrate" }
    var lines: [String] = []
    var table: String?
    for step in steps {
      if step.table != table {
        table = step.table
        lines.append(step.table)
      }
      var rows = step.rowCount.map { $0 == 1 ? " (1 row)" : " (\($0) rows)" } ?? ""
      if step.kind == .destructive { rows += " (loses data)" }
      let isUndecided = step.kind == .undecided
      let sign = isUndecided ? "?" : step.action.sign
      let title = isUndecided ? "undecided" : step.action.title
      lines.append("  \(sign) \(title): \(step.reason)\(rows)")
      if let sql = step.sql { lines += sql.split(separator: "\n").map { "      \($0)" } }
      lines += step.lines.flatMap { $0.split(separator: "\n") }.map { "      \($0)" }
    }
    return lines.joined(separator: "\n")
  }
}

extension MigrationPlan.Step.Action {
  fileprivate var sign: String {
    switch self {
    case .createTable, .createView, .addColumn, .createIndex, .createTrigger,
      .createSearchIndex, .startLog:
      "+"
    case .dropTable, .dropView, .dropColumn, .deleteRows, .dropIndex, .dropTrigger,
      .dropSearchIndex, .stopLog:
      "-"
    case .renameTable, .renameColumn, .rebuildTable, .userStep, .fillSearchIndex: "~"
    case .keepNewer, .keepColumn, .keepDeclaration: "="
    case .refuse: "!"
    }
  }

  /// The step's action in a few words.
  var title: String {
    switch self {
    case .createTable: "create the table"
    case .renameTable(let name): "rename the table \(name)"
    case .dropTable: "drop the table"
    case .createView: "create the view"
    case .dropView: "drop the view"
    case .addColumn(let name): "add the column \(name)"
    case .renameColumn(let name, let newName): "rename the column \(name) to \(newName)"
    case .dropColumn(let name): "drop the column \(name)"
    case .rebuildTable: "rebuild the table"
    case .deleteRows: "delete rows"
    case .createIndex(let name): "create the index \(name)"
    case .dropIndex(let name): "drop the index \(name)"
    case .createTrigger(let name): "create the trigger \(name)"
    case .dropTrigger(let name): "drop the trigger \(name)"
    case .createSearchIndex(let name): "create the full-text index \(name)"
    case .dropSearchIndex(let name): "drop the full-text index \(name)"
    case .fillSearchIndex(let name): "fill the full-text index \(name) again"
    case .startLog: "log the changes"
    case .stopLog: "stop logging the changes"
    case .keepColumn(let name): "keep the column \(name)"
    case .keepDeclaration(let name): "keep \(name)"
    case .keepNewer: "keep the schema of a newer program"
    case .userStep(let name): "run the step \(name)"
    case .refuse: "refused"
    }
  }
}
