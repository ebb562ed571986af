import SQLCore

/// The result builder of a trigger's statements, one on each line. `if`, `switch` and `for` may be
/// used; they are evaluated when the trigger is declared, not when it fires.
@resultBuilder
public enum TriggerBuilder {
  /// Takes an update.
  public static func buildExpression<M>(_ update: Update<M>) -> [TriggerStatement] {
    [TriggerStatement(update)]
  }

  /// Takes a deletion.
  public static func buildExpression<M>(_ delete: Delete<M>) -> [TriggerStatement] {
    [TriggerStatement(delete)]
  }

  /// Takes an insert.
  public static func buildExpression<M>(_ insert: Insert<M>) -> [TriggerStatement] {
    [TriggerStatement { try insert.texts(inTriggerOf: $0) }]
  }

  /// Takes a query, which runs for what its expressions do; its rows are discarded.
  public static func buildExpression(_ query: some Fetchable) -> [TriggerStatement] {
    [TriggerStatement(query.query.statement)]
  }

  /// Takes an error that the trigger raises.
  public static func buildExpression(_ raise: Raise) -> [TriggerStatement] {
    [raise.where {}]
  }

  /// Takes a statement as it is.
  public static func buildExpression(_ statement: TriggerStatement) -> [TriggerStatement] {
    [statement]
  }

  /// Takes a statement in SQL, in which columns can be interpolated:
  /// `"DELETE FROM cache WHERE post = \(old.$id)"`. Interpolated values become literals.
  public static func buildExpression(_ sql: SQLFragment) -> [TriggerStatement] {
    [TriggerStatement(sql)]
  }

  /// Takes a statement in SQL that names no columns of Swift.
  @_disfavoredOverload
  public static func buildExpression(_ sql: SQL) -> [TriggerStatement] {
    [TriggerStatement(SQLFragment(sql))]
  }

  /// Not available: a condition is not a statement.
  @available(*, unavailable, message: "a condition belongs in `when:`, or the where of a command")
  public static func buildExpression(_ predicate: SQLPredicate) -> [TriggerStatement] { [] }

  /// Not available: a trigger returns no rows.
  @available(*, unavailable, message: "a trigger returns no rows; leave out `returning`")
  public static func buildExpression<Command, Row>(
    _ command: Returning<Command, Row>
  ) -> [TriggerStatement] {
    []
  }

  /// Collects all lines.
  public static func buildBlock(_ lines: [TriggerStatement]...) -> [TriggerStatement] {
    lines.flatMap { $0 }
  }

  /// Takes the lines of an `if` without `else`.
  public static func buildOptional(_ lines: [TriggerStatement]?) -> [TriggerStatement] {
    lines ?? []
  }

  /// Takes the lines of an `if` that has an `else`.
  public static func buildEither(first lines: [TriggerStatement]) -> [TriggerStatement] { lines }

  /// Takes the lines of an `else`.
  public static func buildEither(second lines: [TriggerStatement]) -> [TriggerStatement] { lines }

  /// Collects the lines of a `for`.
  public static func buildArray(_ lines: [[TriggerStatement]]) -> [TriggerStatement] {
    lines.flatMap { $0 }
  }
}
