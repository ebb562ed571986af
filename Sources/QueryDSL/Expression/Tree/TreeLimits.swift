/// The limits on the size of a tree.
///
/// Trees are built, read and released by recursion from a node to its operands. To protect a
/// thread's stack, no tree is deeper than `maximumDepth`. An error replaces a deeper tree when the
/// tree is built, and rendering the query throws this error. A long chain of one operator does not
/// count as deep, because loops read and release it.
enum TreeLimits {
  /// The maximum number of levels of operands. A debug build needs up to 8 KB of stack for each
  /// level, and a thread may have as little as 512 KB. SQLite's parser accepts about as many levels
  /// of parentheses.
  static let maximumDepth = 50

  /// The number of levels that a query inside another query adds to the depth.
  static let depthOfQuery = 3

  /// The maximum number of operands in a chain such as `a - b - c`, which must be evaluated from
  /// left to right. SQLite limits the depth of an expression to 1,000, and the expressions around
  /// the chain need some of these levels.
  static let maximumOperands = 950

  /// The maximum number of operands that are written without groups in parentheses. More operands
  /// could exceed SQLite's limit for the depth of an expression.
  static let maximumGroup = 500

  /// The maximum number of operands in a chain that is read and released by recursion. Longer
  /// chains use loops.
  static let maximumRecursion = 32

  /// The maximum number of queries in one UNION, INTERSECT or EXCEPT. This is SQLite's limit.
  static let maximumQueries = 500

  static var tooDeep: QueryError {
    QueryError(
      "the query is nested more than \(maximumDepth) levels deep; move an inner part into a query of "
        + "its own")
  }

  static var tooLong: QueryError {
    QueryError(
      "an expression has more than \(maximumOperands) operands in one chain of arithmetic operators, "
        + "which exceeds SQLite's limit; calculate in Swift, or with sum() over a table")
  }

  static var tooManyQueries: QueryError {
    QueryError(
      "a UNION, INTERSECT or EXCEPT has more than \(maximumQueries) queries, which exceeds "
        + "SQLite's limit; combine their conditions with AnyOf, or use isIn")
  }

  /// Writes operands with a token, such as AND, between them. More than `maximumGroup` operands are
  /// written as several groups in parentheses. The groups change neither the result nor the indexes
  /// that SQLite uses.
  static func writeGroups<Operand>(
    _ operands: ArraySlice<Operand>, joinedBy token: SQLToken, to writer: inout ShapeWriter,
    _ write: (Operand, inout ShapeWriter) -> Void
  ) {
    guard operands.count > maximumGroup else {
      for index in operands.indices {
        if index > operands.startIndex { writer.token(token) }
        write(operands[index], &writer)
      }
      return
    }
    let size = max(100, (operands.count + 99) / 100)
    for start in stride(from: operands.startIndex, to: operands.endIndex, by: size) {
      if start > operands.startIndex { writer.token(token) }
      writer.token(.open)
      let group = operands[start..<min(start + size, operands.endIndex)]
      writeGroups(group, joinedBy: token, to: &writer, write)
      writer.token(.close)
    }
  }
}
