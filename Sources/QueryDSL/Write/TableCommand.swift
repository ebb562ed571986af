import SQLCore

/// An insert, an update or a deletion of rows of one table, which can return them.
public protocol TableCommand<M>: Runnable {
  /// The model of the table.
  associatedtype M: TableModel
  /// The columns of the table; programs do not use it directly.
  var _columns: Columns<M> { get }
}
