import SQLCore

/// A difference between a declared table and the existing one, or a finding that concerns the plan.
///
/// Comparers return differences in the order of their steps. The `StepBuilder` makes steps of them.
/// Each case is large, so it is behind a reference.
indirect enum TableDifference {
  /// A difference that an ALTER TABLE or a rebuild resolves.
  case change(TableChange)
  /// A difference that cannot be resolved without the user.
  case refusal(TableRefusal)
  /// A step of its own, which runs before the changes: it deletes rows, or drops an index or a
  /// trigger.
  case step(PlannedStep)
  /// A part that stays although no model declares it. It follows the steps in the plan.
  case kept(PlannedStep)
  /// The SQL that gives the values of a column if the table is rebuilt.
  case value(TableRebuild.Source)
  /// The note of a conversion, which is written or removed with the changes.
  case conversion(ConversionNote)

  var isRefusal: Bool { if case .refusal = self { true } else { false } }
}

/// A difference that an ALTER TABLE or a rebuild resolves.
struct TableChange {
  /// The reason in the words of a plan.
  let reason: String
  var kind = MigrationPlan.Step.Kind.lossless
  /// The step that resolves it by ALTER TABLE; nil if only a rebuild can.
  var alter: PlannedStep?
}

/// The refusal of a difference.
struct TableRefusal {
  let step: PlannedStep
  /// The columns, folded, if their values would not be unique. An index over them is not created.
  var uniqueColumns: [String]?
  /// Whether it is left out if an earlier refusal offers the same lines.
  var isLeftOutIfOffered = false
}
