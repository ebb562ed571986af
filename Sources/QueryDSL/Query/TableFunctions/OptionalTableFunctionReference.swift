import SQLCore

/// A table-valued function whose columns are optional, in a join that may find no row.
public struct OptionalTableFunctionReference: OptionalTableReferenceConvertible {
  /// The table and what its rows come from; programs do not use it directly.
  public let _reference: TableReference
}
