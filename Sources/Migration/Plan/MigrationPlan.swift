import QueryDSL
import SQLCore

/// The steps by which a migration changes the tables of a database to what its models declare.
///
/// ```swift
/// print(try db.migrationPlan(for: [Author.self, Post.self]))
/// ```
///
/// A step runs automatically if it loses nothing, or if a schema or the options declare the loss. A
/// step that would lose anything else, or cannot be done automatically, is refused. A refused step
/// offers a line that resolves the refusal. If any step is refused, no step runs. Parts of the
/// database that no model declares are kept, except indexes that an earlier schema declared: these
/// are dropped. With a `schemaVersion` or `.replaced`, triggers, full-text indexes and vector
/// indexes that an earlier schema declared are dropped, too. A full-text or vector index is also
/// dropped if a renaming changes a name in it.
public struct MigrationPlan: Hashable, Sendable {
  /// One step of a plan.
  public struct Step: Hashable, Sendable {
    /// The action of a step.
    public enum Action: Hashable, Sendable {
      /// A table is created.
      case createTable
      /// A table gets another name.
      case renameTable(from: String)
      /// A table is dropped, because a schema declares it as dropped.
      case dropTable
      /// A view is created.
      case createView
      /// A view is dropped, because a schema declares so or its query has changed.
      case dropView
      /// A column is added.
      case addColumn(String)
      /// A column gets another name.
      case renameColumn(from: String, to: String)
      /// A column is dropped, because the schema declares it as dropped.
      case dropColumn(String)
      /// A new table replaces the old one, and the rows are copied.
      case rebuildTable
      /// Rows with invalid values are deleted, because the options say so.
      case deleteRows
      /// An index is created.
      case createIndex(String)
      /// An index is dropped.
      case dropIndex(String)
      /// A trigger is created.
      case createTrigger(String)
      /// A trigger is dropped, because a schema declares it as dropped, declares it differently, or
      /// no longer declares it.
      case dropTrigger(String)
      /// A full-text or vector index is created with its triggers, and filled from the rows of its
      /// table.
      case createSearchIndex(String)
      /// A full-text or vector index is dropped with its triggers, because a schema drops it,
      /// declares it differently, or no longer declares it, or a name in it has changed.
      case dropSearchIndex(String)
      /// A full-text or vector index is filled again, because the values of its table have changed.
      case fillSearchIndex(String)
      /// The triggers that write the changes of the table into the change log are created.
      case startLog
      /// The triggers that write the changes of the table into the change log are dropped.
      case stopLog
      /// A column that no model declares stays unchanged.
      case keepColumn(String)
      /// Another part of the database that no model declares stays unchanged. Values that are not
      /// spelled as their stored form writes them also stay unchanged.
      case keepDeclaration(String)
      /// A table or view stays in the newer program's form.
      case keepNewer
      /// One of the user's own steps runs.
      case userStep(String)
      /// The step is not done; its reason says what to do instead.
      case refuse
    }

    /// The effect of a step on the data.
    public enum Kind: Hashable, Sendable {
      /// Every value is kept.
      case lossless
      /// Values are lost, because a schema or the options declare this loss.
      case destructive
      /// The step is refused. Neither this step nor any other step of the plan runs.
      case refused
      /// The step is not possible in the present database, but one of the user's own steps runs
      /// earlier and may make it possible. The step is planned again after the user's step.
      case undecided
    }

    /// The action of the step.
    public let action: Action
    /// The effect on the data.
    public internal(set) var kind: Kind
    /// The name of the table or view.
    public let table: String
    /// The SQL that the step runs; nil if it runs no SQL.
    public let sql: String?
    /// The reason for the step. If the step is refused, this text also says what to do instead.
    public internal(set) var reason: String
    /// A line of Swift code to paste, if the step is refused or keeps a part of the database. The
    /// line belongs in the model, in its schema, or in the options of the migration. Every refusal
    /// has a line.
    public let line: String?
    /// All alternative lines to paste; one of them is enough. The first is `line`.
    ///
    /// A line that loses values says so in a comment. If another line keeps the values, such a line
    /// is not the first.
    public let lines: [String]
    /// The number of rows that the step changes. For a refused step, this is the number of rows
    /// that the change would put at risk. Nil if the step concerns no rows.
    public internal(set) var rowCount: Int?

    init(
      _ action: Action, kind: Kind = .lossless, table: String, sql: String? = nil, reason: String,
      line: String? = nil, lines: [String] = [], rowCount: Int? = nil
    ) {
      self.action = action
      self.kind = action == .refuse ? .refused : kind
      self.table = table
      self.sql = sql
      self.reason = reason
      self.lines = line.map { [$0] + lines } ?? lines
      self.line = self.lines.first
      self.rowCount = rowCount
    }
  }

  /// The steps, in the order in which they run.
  public internal(set) var steps: [Step] = []

  /// Whether the migration will note the Swift types of the columns in the file.
  var notesTypes = false

  init(steps: [Step] = []) {
    self.steps = steps
  }

  /// Whether the plan changes nothing: no step changes a row or a declaration, and no step is
  /// refused. Such a plan may still list parts that are kept.
  public var isEmpty: Bool { steps.allSatisfy { $0.isKept } }

  /// The refused steps, without `.undecided` steps.
  public var refusals: [Step] { steps.filter { $0.kind == .refused } }
}

extension MigrationPlan.Step {
  /// Whether the step changes no row and no declaration.
  var isKept: Bool {
    switch action {
    case .keepNewer, .keepColumn, .keepDeclaration: true
    default: false
    }
  }
}

extension MigrationPlan: CustomStringConvertible {
  /// The plan as a difference. A sign begins each step: `+` adds, `-` removes, `~` changes, `=`
  /// keeps, and `!` refuses. `?` marks an undecided step, which one of the user's own steps may
  /// make possible.
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

  /// The action in a few words.
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
    case .createSearchIndex(let name): "create the search index \(name)"
    case .dropSearchIndex(let name): "drop the search index \(name)"
    case .fillSearchIndex(let name): "fill the search index \(name) again"
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
