import SQLCore

// After a commit, a live query runs again only for the rows that the commit affects. It runs the
// same statement with further conditions on the keys of its tables.

extension SelectStatement {
  /// Adds the condition that a column has one of the given values, which are bound as one array. A
  /// single value is compared by `=`, so that SQLite can read rows in the order of an index without
  /// sorting.
  ///
  /// - Parameter orNull: Whether to also accept NULL.
  package mutating func restrict(
    _ column: ColumnID, to values: [DatabaseValue], orNull: Bool = false
  ) {
    if values.count == 1, !orNull {
      predicates.append(.compareColumn(.equal, column, .value(values[0])))
      return
    }
    predicates.append(
      .isIn(
        .column(column), .array(BoundArray(values)),
        containsNull: orNull ? .value(.integer(1)) : nil))
  }

  /// Adds the condition that an expression has one of the given values, which are bound as one
  /// array.
  package mutating func restrict(
    _ expression: ExpressionNode, to values: [DatabaseValue], orNull: Bool = false
  ) {
    if case .column(let column) = expression {
      return restrict(column, to: values, orNull: orNull)
    }
    if values.count == 1, !orNull {
      predicates.append(.compare(.equal, expression, .value(.value(values[0]))))
      return
    }
    predicates.append(
      .isIn(
        expression, .array(BoundArray(values)),
        containsNull: orNull ? .value(.integer(1)) : nil))
  }

  /// Removes all joins after the one at an index. If that join is a left join, it becomes an inner
  /// join, so that rows without a joined row are left out.
  package mutating func endJoins(withInner index: Int) {
    var kept = Array(joins[...index])
    if kept[index].kind == .left {
      kept[index] = Join(kind: .inner, table: kept[index].table, condition: kept[index].condition)
    }
    joins = kept
  }

  /// Limits the result to `count` rows. The count must not be negative.
  package mutating func limitRows(to count: Int) {
    limit = .number(count)
  }
}
