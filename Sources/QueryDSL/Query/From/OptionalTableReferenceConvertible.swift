import SQLCore

/// An operand of a join that may find no row, which is a table whose columns are optional; programs
/// do not use it directly.
public protocol OptionalTableReferenceConvertible: TableReferenceConvertible {}
