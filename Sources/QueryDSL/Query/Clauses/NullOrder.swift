/// The place of NULL in an order. By default SQLite treats NULL as less than any value.
public enum NullOrder: Sendable {
  /// NULL comes before all values. SQL: `NULLS FIRST`
  case first
  /// NULL comes after all values. SQL: `NULLS LAST`
  case last
}
