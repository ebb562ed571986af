import SQLCore

/// The event that fires a trigger, with the rows that its closures receive.
///
/// An insertion has a new row, a deletion has the old one, and an update has both.
public struct TriggerEvent<M: TableModel, Rows> {
  let operation: TriggerOperation<M>
  /// Makes the argument of the closures from the two rows.
  let rows: (_ old: Columns<M>, _ new: Columns<M>) -> Rows
}

extension TriggerEvent where Rows == Columns<M> {
  /// A row is inserted. The closures receive the new row. SQL: `INSERT`
  public static var insert: TriggerEvent { TriggerEvent(operation: .insert) { $1 } }

  /// A row is deleted. The closures receive the old row. SQL: `DELETE`
  public static var delete: TriggerEvent { TriggerEvent(operation: .delete) { old, _ in old } }
}

extension TriggerEvent where Rows == (Columns<M>, Columns<M>) {
  /// A row is updated. The closures receive the old row and the new one. SQL: `UPDATE`
  public static var update: TriggerEvent { TriggerEvent(operation: .update([])) { ($0, $1) } }

  /// An update assigns one of the columns, whether or not its value changes. The closures receive
  /// the old row and the new one. SQL: `UPDATE OF "title", "body"`
  public static func update<First: ColumnValue, each Value: ColumnValue>(
    of first: KeyPath<M, ColumnReference<First>>,
    _ others: repeat KeyPath<M, ColumnReference<each Value>>
  ) -> TriggerEvent {
    var paths: [PartialKeyPath<M>] = [first]
    for path in repeat each others { paths.append(path) }
    return TriggerEvent(operation: .update(paths)) { ($0, $1) }
  }
}

/// The statement that fires a trigger.
enum TriggerOperation<M: ResultRow> {
  case insert
  /// The columns of `UPDATE OF`; none for every update.
  case update([PartialKeyPath<M>])
  case delete
}

/// The moment at which a trigger runs.
enum TriggerTiming: String {
  case before = "BEFORE"
  case after = "AFTER"
  case insteadOf = "INSTEAD OF"
}
