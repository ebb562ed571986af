import SQLCore

/// Collects the terms of an index, one on each line.
@resultBuilder
public enum IndexBuilder {
  /// Makes a term of a column or an expression.
  public static func buildExpression<Value: ColumnValue>(
    _ expression: SQLExpression<Value>
  ) -> IndexTerm {
    IndexTerm(expression.node)
  }

  /// Takes a term as it is.
  public static func buildExpression(_ term: IndexTerm) -> IndexTerm { term }

  /// Collects the terms.
  public static func buildBlock(_ terms: IndexTerm...) -> [IndexTerm] { terms }
}
