/// The direction of an order.
public enum SortDirection: Sendable {
  /// From the least to the greatest; NULL comes first.
  case ascending
  /// From the greatest to the least; NULL comes last.
  case descending
}
