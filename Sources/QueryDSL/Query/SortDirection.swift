/// Upwards or downwards.
public enum SortDirection: Sendable {
  /// The least first; NULL before everything.
  case ascending
  /// The greatest first; NULL behind everything.
  case descending
}

/// Where NULL stands in an order, if not where SQLite puts it: before everything.
public enum NullOrder: Sendable {
  /// NULL before everything. SQL: `NULLS FIRST`
  case first
  /// NULL behind everything. SQL: `NULLS LAST`
  case last
}
