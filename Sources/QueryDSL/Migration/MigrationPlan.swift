import SQLCore

/// What opening a database with its models does to its tables, before it does it.
///
/// ```swift
/// print(try db.migrationPlan(for: [Author.self, Post.self]))
/// ```
///
/// Steps that lose nothing run by themselves. One that would lose something, or that cannot be done
/// by itself, is refused, with what to do instead; then nothing runs.
public struct MigrationPlan: Hashable, Sendable {
  /// One step.
  public struct Step: Hashable, Sendable {
    /// What a step does.
    public enum Kind: Hashable, Sendable {
      /// A table is created.
      case createTable
      /// A column is added.
      case addColumn(String)
      /// An index is created.
      case createIndex(String)
      /// A column that no model declares stays as it is.
      case keepColumn(String)
      /// The step is not done; the reason says what to do instead.
      case refuse
    }

    /// What the step does.
    public let kind: Kind
    /// The table.
    public let table: String
    /// The SQL that it runs; nil where it runs none.
    public let sql: String?
    /// Why, or what to do instead.
    public let reason: String
    /// How many rows the table has, where the step touches them or puts them at risk.
    public let rowCount: Int?

    init(
      _ kind: Kind, table: String, sql: String? = nil, reason: String, rowCount: Int? = nil
    ) {
      self.kind = kind
      self.table = table
      self.sql = sql
      self.reason = reason
      self.rowCount = rowCount
    }

    /// Whether the step changes rows that are there, or would.
    var touchesRows: Bool {
      switch kind {
      case .addColumn, .refuse: true
      case .createTable, .createIndex, .keepColumn: false
      }
    }

    func counting(_ rowCount: Int?) -> Step {
      Step(kind, table: table, sql: sql, reason: reason, rowCount: rowCount)
    }
  }

  /// The steps, in the order in which they run.
  public internal(set) var steps: [Step] = []

  /// Whether there is nothing to do.
  public var isEmpty: Bool { steps.allSatisfy { $0.sql == nil && $0.kind != .refuse } }

  /// The steps that are not done.
  public var refusals: [Step] { steps.filter { $0.kind == .refuse } }
}

extension MigrationPlan: CustomStringConvertible {
  /// The plan as a difference: `+` for what comes, `!` for what is refused, and what is kept.
  public var description: String {
    guard !steps.isEmpty else { return "nothing to migrate" }
    var lines: [String] = []
    var table: String?
    for step in steps {
      if step.table != table {
        table = step.table
        lines.append(step.table)
      }
      let rows = step.rowCount.map { $0 == 1 ? " (1 row)" : " (\($0) rows)" } ?? ""
      lines.append("  \(step.kind.sign) \(step.kind.title): \(step.reason)\(rows)")
      if let sql = step.sql {
        lines += sql.split(separator: "\n").map { "      \($0)" }
      }
    }
    return lines.joined(separator: "\n")
  }
}

extension MigrationPlan.Step.Kind {
  fileprivate var sign: String {
    switch self {
    case .createTable, .addColumn, .createIndex: "+"
    case .keepColumn: "="
    case .refuse: "!"
    }
  }

  fileprivate var title: String {
    switch self {
    case .createTable: "create the table"
    case .addColumn(let name): "add the column \(name)"
    case .createIndex(let name): "create the index \(name)"
    case .keepColumn(let name): "keep the column \(name)"
    case .refuse: "refused"
    }
  }
}

/// A migration that was refused: nothing of it was done.
public struct MigrationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The plan, with the steps that were refused and why.
  public let plan: MigrationPlan

  /// What was refused, and the whole plan.
  public var description: String {
    "the database was not migrated, and nothing was changed:\n\(plan)"
  }
}
