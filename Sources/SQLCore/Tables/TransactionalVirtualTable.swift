/// A virtual table that can be written and is notified of transactions. Conform to
/// `WritableVirtualTable` or `KeyedVirtualTable` rather than to this protocol.
///
/// By default, each method does nothing.
/// - SeeAlso: <https://www.sqlite.org/vtab.html#the_xbegin_method>
public protocol TransactionalVirtualTable: VirtualTable {
  /// Called when a transaction begins to write to the table.
  func begin() throws
  /// Called before the transaction commits; throwing an error refuses the commit.
  func prepareToCommit() throws
  /// Called after the transaction was committed.
  func commit()
  /// Called after the transaction was rolled back.
  func rollback()
  /// Called when a savepoint begins. Savepoints are numbered from 0, outermost first.
  func savepoint(_ number: Int) throws
  /// Called when that savepoint and those inside it are released; their changes stay.
  func release(_ number: Int) throws
  /// Called when the changes since that savepoint are undone; the savepoint stays open.
  func rollback(to number: Int) throws
}

extension TransactionalVirtualTable {
  /// Does nothing.
  public func begin() throws {}
  /// Does nothing.
  public func prepareToCommit() throws {}
  /// Does nothing.
  public func commit() {}
  /// Does nothing.
  public func rollback() {}
  /// Does nothing.
  public func savepoint(_ number: Int) throws {}
  /// Does nothing.
  public func release(_ number: Int) throws {}
  /// Does nothing.
  public func rollback(to number: Int) throws {}
}
