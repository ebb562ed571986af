/// How large a tree may be.
///
/// Trees are built, walked and destroyed by recursion from an operand to the operands inside it. So
/// that no tree overflows a thread's stack, none is deeper than `maximumDepth`: what would be is
/// replaced, when it is built, by the error that rendering it throws. Chains of one operator are not
/// deep, however long they are: they are walked and destroyed by loops.
enum TreeLimits {
  /// How many operands may stand one inside another. A debug build needs up to 8 KB of stack for one,
  /// and threads may have as little as 512 KB. SQLite's parser takes about as many levels of parentheses.
  static let maximumDepth = 50

  /// How many levels a query inside another counts for.
  static let depthOfQuery = 3

  /// How many operands a chain of an operator has that must be taken from left to right. SQLite's limit
  /// for the depth of an expression is 1,000, of which what stands around the chain needs some.
  static let maximumOperands = 950

  /// How many operands stand beside one another without parentheses, where they may be grouped at
  /// will. More would be deeper than SQLite takes.
  static let maximumGroup = 500

  /// Up to how many operands a chain is walked and destroyed by recursion.
  static let maximumRecursion = 32

  /// How many queries one UNION, INTERSECT or EXCEPT has: SQLite's limit.
  static let maximumQueries = 500

  static var tooDeep: QueryError {
    QueryError(
      "the query is nested more than \(maximumDepth) levels deep; move an inner part into a query of "
        + "its own")
  }

  static var tooLong: QueryError {
    QueryError(
      "an expression has more than \(maximumOperands) operands in one chain of arithmetic operators, "
        + "which SQLite does not take; calculate in Swift, or by sum() over a table")
  }

  static var tooManyQueries: QueryError {
    QueryError(
      "a UNION, INTERSECT or EXCEPT has more than \(maximumQueries) queries, which SQLite does not "
        + "take; combine their conditions by AnyOf, or use isIn")
  }

  /// The number of operands in each group of so many, where that are too many for one level.
  static func groupSize(of count: Int) -> Int { max(100, (count + 99) / 100) }
}
