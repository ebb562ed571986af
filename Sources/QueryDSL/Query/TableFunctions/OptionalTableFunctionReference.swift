import SQLCore

/// A table-valued function, or a full-text search, whose columns are optional, in a join that may
/// find no row.
public struct OptionalTableFunctionReference: OptionalTableReferenceConvertible {
  /// The table and what its rows come from; programs do not use it directly.
  public let _reference: TableReference
  /// The condition of a join; nil if the arguments of the function say which rows it has.
  var condition: PredicateNode?
}
