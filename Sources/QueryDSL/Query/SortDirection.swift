/// The direction of an order.
public enum SortDirection: Sendable {
  /// From the least to the greatest; NULL comes first.
  case ascending
  /// From the greatest to the least; NULL comes last.
  case descending
}

/// The place of NULL in an order. By default SQLite treats NULL as less than any value.
public enum NullOrder: Sendable {
  /// NULL comes before all values. SQL: `NULLS FIRST`
  case first
  /// NULL comes after all values. SQL: `NULLS LAST`
  case last
}
