import SQLCore

// Functions whose first argument is a Swift value and whose other arguments are expressions. Each
// function makes an `SQLExpression` of the value, and calls the expression's function of the same
// name.

extension ColumnValue where Self: TextColumnValue {
  /// Returns the position of the first occurrence of an expression in this text, counted from 1; 0
  /// if this text does not contain the expression.
  /// SQL: `instr(?, a)`
  ///
  /// ```swift
  /// Post.where { "swift sqlite".instr($0.$title) > 0 }
  /// // … WHERE instr(?, "title") > ?
  /// ```
  public func instr(_ part: SQLExpression<Self>) -> SQLExpression<IntegerResult> {
    SQLExpression(self).instr(part)
  }

  /// Returns this text followed by an expression. SQL: `? || a`
  public func concat(_ other: SQLExpression<Self>) -> SQLExpression<Self> {
    SQLExpression(self).concat(other)
  }

  /// Tests whether this text matches a LIKE pattern. The pattern is an expression, such as a
  /// column. SQL: `? LIKE a`
  public func like(pattern: SQLExpression<Self>, escape: Character? = nil) -> SQLPredicate {
    SQLExpression(self).like(pattern: pattern, escape: escape)
  }

  /// Tests whether this text matches a GLOB pattern. The pattern is an expression, such as a
  /// column. SQL: `? GLOB a`
  public func glob(pattern: SQLExpression<Self>) -> SQLPredicate {
    SQLExpression(self).glob(pattern: pattern)
  }
}

extension ColumnValue where Self: OrderedColumnValue {
  /// Tests whether this value is in a closed range. If one of the bounds is NULL, the result is
  /// NULL or false.
  /// SQL: `? BETWEEN a AND b`
  ///
  /// ```swift
  /// Post.where { Date().between($0.$start, and: $0.$end) }
  /// ```
  public func between(
    _ lower: SQLExpression<Self>, and upper: SQLExpression<Self>
  ) -> SQLPredicate {
    SQLExpression(self).between(lower, and: upper)
  }
}

extension ColumnValue where Self: ArithmeticColumnValue {
  /// Returns this number raised to a power; NULL if the result is not a real number.
  /// SQL: `pow(?, a)`
  public func pow(_ exponent: SQLExpression<Self>) -> SQLExpression<Double?> {
    SQLExpression(self).pow(exponent)
  }

  /// Returns the angle of the point (x, y) in radians, where y is this number. SQL: `atan2(?, a)`
  public func atan2(_ x: SQLExpression<Self>) -> SQLExpression<RealResult> {
    SQLExpression(self).atan2(x)
  }

  /// Returns the remainder of dividing this integer by an expression; NULL if the divisor is 0.
  /// SQL: `? % a`
  public func remainder(_ divisor: SQLExpression<Self>) -> SQLExpression<Self> {
    SQLExpression(self).remainder(divisor)
  }
}

extension ColumnValue {
  /// Tests whether this value is one of the values that a query returns. SQL: `? IN (SELECT …)`
  public func isIn<Q: Fetchable>(_ query: Q) -> SQLPredicate where Q.Row == Self {
    SQLExpression(self).isIn(query)
  }
}
