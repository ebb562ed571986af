import SQLCore

/// A query that `including` accepts, which is one of models or one that includes others; programs
/// do not use it directly.
public protocol _IncludableQuery<Root, IncludedRow>: Sendable {
  /// The model whose rows belong to the parents.
  associatedtype Root: Model
  /// The type of the rows in the result.
  associatedtype IncludedRow: Sendable
  /// The query with the function that completes its rows; programs do not use it directly.
  var _included: _IncludedQuery<Root, IncludedRow> { get }
}
