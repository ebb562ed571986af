/// The way in which the distance of two vectors is measured.
///
/// The functions are those of sqlite-vec, which `Configuration.extensions` loads.
/// - SeeAlso: <https://alexgarcia.xyz/sqlite-vec/api-reference.html#distance-functions>
public enum VectorMetric: Sendable {
  /// The length of the straight line between the two. SQL: `vec_distance_L2(a, b)`
  case euclidean
  /// 1 minus the cosine of the angle between the two: 0 for the same direction, 2 for opposite
  /// ones. A vector of zeros has no direction; its distance from any other counts as 1.
  /// SQL: `ifnull(vec_distance_cosine(a, b), 1.0)`
  case cosine
  /// The sum of the differences of their numbers. SQL: `vec_distance_L1(a, b)`
  case manhattan

  func node(_ first: ExpressionNode, _ second: ExpressionNode) -> ExpressionNode {
    switch self {
    case .euclidean: .function("vec_distance_L2", [first, second])
    case .cosine:
      .function("ifnull", [.function("vec_distance_cosine", [first, second]), .constant("1.0")])
    case .manhattan: .function("vec_distance_L1", [first, second])
    }
  }
}
