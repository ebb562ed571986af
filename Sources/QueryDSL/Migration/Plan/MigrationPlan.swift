import SQLCore

/// What opening a database with its models does to its tables, before it does it.
///
/// ```swift
/// print(try db.migrationPlan(for: [Author.self, Post.self]))
/// ```
///
/// Steps that lose nothing run by themselves, and so do those whose loss a schema declares. One that
/// would lose something else, or that cannot be done by itself, is refused, with what to do instead;
/// then nothing runs. What no model declares is kept.
public struct MigrationPlan: Hashable, Sendable {
  /// One step.
  public struct Step: Hashable, Sendable {
    /// What a step does.
    public enum Action: Hashable, Sendable {
      /// A table is created.
      case createTable
      /// A table gets another name.
      case renameTable(from: String)
      /// A table that a schema declares as dropped goes.
      case dropTable
      /// A view is created.
      case createView
      /// A view goes that a schema declares as dropped, or whose query is another.
      case dropView
      /// A column is added.
      case addColumn(String)
      /// A column gets another name.
      case renameColumn(from: String, to: String)
      /// A column that the schema declares as dropped goes.
      case dropColumn(String)
      /// The table is made anew, and its rows are copied.
      case rebuildTable
      /// Rows with values that no type reads are deleted, since it was asked for.
      case deleteRows
      /// An index is created.
      case createIndex(String)
      /// An index goes.
      case dropIndex(String)
      /// A trigger that the schema declares as dropped goes.
      case dropTrigger(String)
      /// The form of a column's values is written into the definition of its table; no row changes.
      case rememberForm(String)
      /// A column that no model declares stays as it is.
      case keepColumn(String)
      /// Something else that no model declares stays as it is.
      case keepDeclaration(String)
      /// A table or view stays as a newer program made it.
      case keepNewer
      /// A step of the user's own runs.
      case userStep(String)
      /// The step is not done; the reason says what to do instead.
      case refuse
    }

    /// What a step means for the data.
    public enum Kind: Hashable, Sendable {
      /// Every value is there afterwards.
      case lossless
      /// Values go, as it was declared.
      case destructive
      /// It is not done, and with it nothing else.
      case refused
      /// It could not be done as the database is now, but a step of the user's own runs before it and
      /// may change that: it is looked at again when that step has run.
      case undecided
    }

    /// What the step does.
    public let action: Action
    /// What it means for the data.
    public internal(set) var kind: Kind
    /// The table.
    public let table: String
    /// The SQL that it runs; nil where it runs none.
    public let sql: String?
    /// Why, or what to do instead.
    public internal(set) var reason: String
    /// A line to paste: into the schema where the step is refused or keeps something, in the place of
    /// a property, or into the options of the migration. Every refusal has one.
    public let line: String?
    /// All lines to paste, of which one is needed; the first is `line`.
    ///
    /// A line that loses values says so in a comment, and is not the first if another keeps them.
    public let lines: [String]
    /// How many rows the step touches or puts at risk; nil where it is none of its business.
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

  init(steps: [Step] = []) {
    self.steps = steps
  }

  /// Whether there is nothing to do: all tables are as the models declare them.
  public var isEmpty: Bool { steps.allSatisfy { $0.isKept } }

  /// Whether a form is to be noted, which changes no table.
  var remembersForms: Bool {
    steps.contains { if case .rememberForm = $0.action { true } else { false } }
  }

  /// The steps that are not done; none that a pending step of the user's own may still make possible.
  public var refusals: [Step] { steps.filter { $0.kind == .refused } }
}

extension MigrationPlan.Step {
  /// Whether it changes nothing that a table holds or declares.
  var isKept: Bool {
    switch action {
    case .keepNewer, .rememberForm, .keepColumn, .keepDeclaration: true
    default: false
    }
  }
}

/// A migration that was refused: nothing of it was done.
public struct MigrationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The plan, with the steps that were refused and why.
  public let plan: MigrationPlan
  /// Why nothing ran, where it was not for a step that is refused.
  public let reason: String?

  init(plan: MigrationPlan, reason: String? = nil) {
    self.plan = plan
    self.reason = reason
  }

  /// What was refused, and the whole plan.
  public var description: String {
    let why = reason.map { ", since \($0)" } ?? ""
    return "the database was not migrated, and nothing was changed\(why):\n\(plan)"
  }
}
