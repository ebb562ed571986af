import SQLCore

// Tuples of two or three expressions are compared with tuples of values, as a `RowValue` is. A
// single expression is no such tuple, so the compiler drops these operators at once elsewhere. For
// longer tuples there is `RowValue`: Swift 6.3 crashes on operands that end with a parameter pack.

/// Tests for less, from the first expression to the last; unknown if a NULL decides.
/// SQL: `(a, b) < (?, ?)`
///
/// ```swift
/// Post.where { ($0.$createdAt, $0.$id) < (date, id) }
/// // … WHERE ("createdAt", "id") < (?, ? COLLATE "BINARY")
/// ```
public func < <A: OrderedColumnValue, B: OrderedColumnValue>(
  left: (SQLExpression<A>, SQLExpression<B>), right: (A, B)
) -> SQLPredicate {
  RowValue(left.0, left.1) < right
}

/// Tests for less, from the first expression to the last; unknown if a NULL decides.
/// SQL: `(a, b, c) < (?, ?, ?)`
public func < <A: OrderedColumnValue, B: OrderedColumnValue, C: OrderedColumnValue>(
  left: (SQLExpression<A>, SQLExpression<B>, SQLExpression<C>), right: (A, B, C)
) -> SQLPredicate {
  RowValue(left.0, left.1, left.2) < right
}

/// Tests for greater, from the first expression to the last; unknown if a NULL decides.
/// SQL: `(a, b) > (?, ?)`
public func > <A: OrderedColumnValue, B: OrderedColumnValue>(
  left: (SQLExpression<A>, SQLExpression<B>), right: (A, B)
) -> SQLPredicate {
  RowValue(left.0, left.1) > right
}

/// Tests for greater, from the first expression to the last; unknown if a NULL decides.
/// SQL: `(a, b, c) > (?, ?, ?)`
public func > <A: OrderedColumnValue, B: OrderedColumnValue, C: OrderedColumnValue>(
  left: (SQLExpression<A>, SQLExpression<B>, SQLExpression<C>), right: (A, B, C)
) -> SQLPredicate {
  RowValue(left.0, left.1, left.2) > right
}

/// Tests for less or equal, from the first expression to the last; unknown if a NULL decides.
/// SQL: `(a, b) <= (?, ?)`
public func <= <A: OrderedColumnValue, B: OrderedColumnValue>(
  left: (SQLExpression<A>, SQLExpression<B>), right: (A, B)
) -> SQLPredicate {
  RowValue(left.0, left.1) <= right
}

/// Tests for less or equal, from the first expression to the last; unknown if a NULL decides.
/// SQL: `(a, b, c) <= (?, ?, ?)`
public func <= <A: OrderedColumnValue, B: OrderedColumnValue, C: OrderedColumnValue>(
  left: (SQLExpression<A>, SQLExpression<B>, SQLExpression<C>), right: (A, B, C)
) -> SQLPredicate {
  RowValue(left.0, left.1, left.2) <= right
}

/// Tests for greater or equal, from the first expression to the last; unknown if a NULL decides.
/// SQL: `(a, b) >= (?, ?)`
public func >= <A: OrderedColumnValue, B: OrderedColumnValue>(
  left: (SQLExpression<A>, SQLExpression<B>), right: (A, B)
) -> SQLPredicate {
  RowValue(left.0, left.1) >= right
}

/// Tests for greater or equal, from the first expression to the last; unknown if a NULL decides.
/// SQL: `(a, b, c) >= (?, ?, ?)`
public func >= <A: OrderedColumnValue, B: OrderedColumnValue, C: OrderedColumnValue>(
  left: (SQLExpression<A>, SQLExpression<B>, SQLExpression<C>), right: (A, B, C)
) -> SQLPredicate {
  RowValue(left.0, left.1, left.2) >= right
}

/// Tests whether all are equal; nil equals nil. SQL: `(a, b) = (?, ?)`, if one is optional
/// `(a, b) IS (?, ?)`
public func == <A: ColumnValue, B: ColumnValue>(
  left: (SQLExpression<A>, SQLExpression<B>), right: (A, B)
) -> SQLPredicate {
  RowValue(left.0, left.1) == right
}

/// Tests whether all are equal; nil equals nil. SQL: `(a, b, c) = (?, ?, ?)`, if one is optional
/// `(a, b, c) IS (?, ?, ?)`
public func == <A: ColumnValue, B: ColumnValue, C: ColumnValue>(
  left: (SQLExpression<A>, SQLExpression<B>, SQLExpression<C>), right: (A, B, C)
) -> SQLPredicate {
  RowValue(left.0, left.1, left.2) == right
}

/// Tests whether any differs; nil equals nil. SQL: `(a, b) <> (?, ?)`, if one is optional
/// `(a, b) IS NOT (?, ?)`
public func != <A: ColumnValue, B: ColumnValue>(
  left: (SQLExpression<A>, SQLExpression<B>), right: (A, B)
) -> SQLPredicate {
  RowValue(left.0, left.1) != right
}

/// Tests whether any differs; nil equals nil. SQL: `(a, b, c) <> (?, ?, ?)`, if one is optional
/// `(a, b, c) IS NOT (?, ?, ?)`
public func != <A: ColumnValue, B: ColumnValue, C: ColumnValue>(
  left: (SQLExpression<A>, SQLExpression<B>, SQLExpression<C>), right: (A, B, C)
) -> SQLPredicate {
  RowValue(left.0, left.1, left.2) != right
}
