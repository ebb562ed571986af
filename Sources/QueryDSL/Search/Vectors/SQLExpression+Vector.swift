import SQLCore

// Vectors are `[Float]`, stored as little-endian float32: the form that sqlite-vec reads. Distances
// need that extension on each connection; without it, SQLite reports "no such function".

extension SQLExpression where Value == [Float] {
  /// Returns the distance of the vector from another one.
  ///
  /// ```swift
  /// Post.where { $0.$embedding.distance(to: vector, by: .cosine) < 0.3 }
  /// // … WHERE ifnull(vec_distance_cosine("embedding", ?), 1.0) < ?
  /// ```
  /// Every row is read and measured; no index serves this. A vector with a number that is not
  /// finite throws `ColumnValueError` when the query is rendered. Two vectors with other numbers
  /// of dimensions throw `DatabaseError`, whose message has both numbers, when the query runs.
  public func distance(
    to vector: [Float], by metric: VectorMetric = .euclidean
  ) -> SQLExpression<Double> {
    distance(to: SQLExpression(vector), by: metric)
  }

  /// Returns the distance of the vector from that of another expression, such as a column of a
  /// joined table.
  public func distance(
    to vector: SQLExpression<[Float]>, by metric: VectorMetric = .euclidean
  ) -> SQLExpression<Double> {
    SQLExpression<Double>(metric.node(node, vector.node))
  }

  /// The number of dimensions. It needs no extension. SQL: `length("embedding") / 4`
  ///
  /// ```swift
  /// Check { $0.$embedding.dimensions == 384 }       // in the schema: no other vector is stored
  /// ```
  public var dimensions: SQLExpression<Int> {
    SQLExpression<Int>(.function("length", [node])) / 4
  }
}

extension SQLExpression where Value == [Float]? {
  /// Returns the distance of the vector from another one; NULL if it is NULL.
  /// SQL: `iif("embedding" IS NULL, NULL, vec_distance_L2("embedding", ?))`
  public func distance(
    to vector: [Float], by metric: VectorMetric = .euclidean
  ) -> SQLExpression<Double?> {
    distance(to: SQLExpression<[Float]>(vector), by: metric)
  }

  /// Returns the distance of the vector from that of another expression; NULL if it is NULL.
  public func distance(
    to vector: SQLExpression<[Float]>, by metric: VectorMetric = .euclidean
  ) -> SQLExpression<Double?> {
    SQLExpression<Double?>(
      .function(
        "iif",
        [.predicate((self == nil).node), .constant("NULL"), metric.node(node, vector.node)]))
  }

  /// The number of dimensions; NULL if it is NULL. SQL: `length("embedding") / 4`
  public var dimensions: SQLExpression<Int?> {
    SQLExpression<Int?>(.function("length", [node])) / 4
  }
}
