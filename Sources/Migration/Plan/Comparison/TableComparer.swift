import QueryDSL
import SQLCore

/// A type that compares one part of a declared table with the existing table, and returns the
/// differences.
protocol TableComparer {
  var table: TableComparison { get }
}

extension TableComparer {
  var declared: TableDefinition { table.declared }
  var existing: ExistingTable { table.existing }
  var names: FormerNames { table.names }
  var rows: RowProbe { table.rows }
  var planner: MigrationPlanner { table.planner }
  var lines: OfferedLines { OfferedLines(table: table) }

  var quotedExistingName: String { Identifier(existing.name).quoted }

  func key(of column: TableDefinition.Column) -> String { table.key(of: column) }

  // MARK: Differences

  func change(
    _ reason: String, kind: MigrationPlan.Step.Kind = .lossless, alter: PlannedStep? = nil
  ) -> TableDifference {
    .change(TableChange(reason: reason, kind: kind, alter: alter))
  }

  /// Returns the difference that gives a column the values of an SQL expression when the table is
  /// rebuilt.
  func value(
    of column: TableDefinition.Column, _ sql: String, keepsNull: Bool = true
  ) -> TableDifference {
    .value(
      TableRebuild.Source(column: column.name, sql: sql, isSame: false, keepsNull: keepsNull))
  }

  /// Returns the refusal of a change, with its reason and the lines of code that the user may
  /// paste.
  ///
  /// - Parameter rows: the rows that the change would put at risk.
  func refusal(_ reason: String, lines: [String], rows: CountedRows = .none) -> TableDifference {
    .refusal(TableRefusal(step: refusedStep(reason, lines: lines, rows: rows)))
  }

  func refusal(_ reason: String, line: String, rows: CountedRows = .none) -> TableDifference {
    refusal(reason, lines: [line], rows: rows)
  }

  func refusedStep(_ reason: String, lines: [String], rows: CountedRows) -> PlannedStep {
    PlannedStep(
      MigrationPlan.Step(.refuse, table: declared.name, reason: reason, lines: lines),
      touching: rows, of: names.table)
  }

  func keep(
    _ what: String, reason: String = "no model declares it", line: String
  ) -> TableDifference {
    .kept(
      PlannedStep(
        MigrationPlan.Step(
          .keepDeclaration(what), table: declared.name, reason: reason, line: line)))
  }

  // MARK: Rows that cannot stay

  func deletion(of count: Int, _ reason: String, _ sql: String) -> TableDifference {
    .step(
      PlannedStep(
        running: MigrationPlan.Step(
          .deleteRows, kind: .destructive, table: declared.name, sql: sql, reason: reason,
          rowCount: count)))
  }

  /// Returns the step that deletes rows which cannot stay; nil if the options do not allow the
  /// deletion. The condition uses the names after the renamings.
  func allowedDeletion(
    of count: Int, _ column: TableDefinition.Column, _ reason: String, where condition: String
  ) -> TableDifference? {
    guard planner.invalidValues.deletes(declared.name, column.name) else { return nil }
    return deletion(of: count, reason, "DELETE FROM \(quotedExistingName) WHERE \(condition)")
  }

  /// Returns the step that deletes rows which a declaration forbids. If the options do not allow
  /// the deletion, returns a refusal.
  ///
  /// - Parameter keeping: the lines of code, offered by the refusal, that leave the rows unchanged.
  func deletionOrRefusal(
    of count: Int, _ reason: String, column: String? = nil, keeping: [String] = [], _ sql: String
  ) -> TableDifference {
    guard planner.invalidValues.deletes(declared.name, column) else {
      return refusal(
        "\(reason); fix them in a `MigrationStep`, or let the migration delete the rows",
        lines: keeping + [lines.deleting(column, count)], rows: .some(count))
    }
    return deletion(of: count, reason, sql)
  }
}

/// A difference between a declared table and the existing table, or another finding for the plan.
///
/// Comparers return the differences in the order in which the resulting steps run. The
/// `StepBuilder` makes these steps. The cases are large, so the enum holds them by reference.
indirect enum TableDifference {
  /// A difference that an ALTER TABLE or a rebuild resolves.
  case change(TableChange)
  /// A difference that cannot be resolved without the user.
  case refusal(TableRefusal)
  /// A separate step that runs before the changes. It deletes rows, or drops an index or a trigger.
  case step(PlannedStep)
  /// A column, an index or another part that stays although no model declares it. The plan lists it
  /// after the steps.
  case kept(PlannedStep)
  /// The SQL that gives a column its values when the table is rebuilt.
  case value(TableRebuild.Source)
  /// A note that a conversion has run. It is written or removed together with the changes.
  case conversion(ConversionNote)

  var isRefusal: Bool { if case .refusal = self { true } else { false } }
}

/// A difference that an ALTER TABLE or a rebuild resolves.
struct TableChange {
  /// The reason for the change, as a plan prints it.
  let reason: String
  var kind = MigrationPlan.Step.Kind.lossless
  /// The step that makes the change by ALTER TABLE; nil if only a rebuild can make it.
  var alter: PlannedStep?
}

/// The refusal of a difference.
struct TableRefusal {
  let step: PlannedStep
  /// The names, in lower case, of the columns whose values would not be unique after a rebuild; nil
  /// for other refusals. No unique index over these columns is planned.
  var uniqueColumns: [String]?
  /// Whether to leave this refusal out of the plan if an earlier refusal offers the same lines.
  var isLeftOutIfOffered = false
}
