import SQLCore

/// Collects the columns of a full-text index, one on each line.
@resultBuilder
public enum FullTextBuilder {
  /// Takes a column with the weight 1.
  public static func buildExpression<Value: ColumnValue>(
    _ column: SQLExpression<Value>
  ) -> FullTextTerm {
    FullTextTerm(column.node)
  }

  /// Takes a column with its weight.
  public static func buildExpression(_ term: FullTextTerm) -> FullTextTerm { term }

  /// Collects the columns.
  public static func buildBlock(_ terms: FullTextTerm...) -> [FullTextTerm] { terms }
}
