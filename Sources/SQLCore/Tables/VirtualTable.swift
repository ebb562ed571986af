/// A virtual table: a table whose rows are supplied by Swift code.
///
/// ```swift
/// final class NaturalNumbers: VirtualTable {
///   let schema = "CREATE TABLE x (value INTEGER)"
///   func open() -> any VirtualTableCursor { Cursor() }
/// }
/// try db.virtualTable("natural_numbers", .eponymous) { _ in NaturalNumbers() }
/// try db.rows("SELECT value FROM natural_numbers LIMIT 5")
/// ```
///
/// Each connection has its own instance, which no other connection uses and which is released with
/// the connection. An error thrown by a method fails the statement, with the error's message. A
/// method may run statements on the connection of its context.
/// - SeeAlso: <https://www.sqlite.org/vtab.html>
public protocol VirtualTable: AnyObject, SendableMetatype {
  /// The declaration of the columns, as `CREATE TABLE x (…)`; the name is ignored. A column that is
  /// declared `HIDDEN` is an argument of the table-valued function and is not part of `*`. The
  /// parenthesis may be followed by `WITHOUT ROWID`.
  var schema: String { get }

  /// Chooses how to answer a query. Returns nil if the usable constraints do not suffice to answer
  /// it.
  ///
  /// It is called while a statement is prepared, often more than once. By default it plans a full
  /// scan in no particular order.
  /// - SeeAlso: <https://www.sqlite.org/vtab.html#the_xbestindex_method>
  func bestIndex(_ query: IndexQuery) throws -> IndexPlan?

  /// Opens a cursor. It is called once for each use of the table in a statement.
  func open() throws -> any VirtualTableCursor

  /// Deletes what the table has stored, because the table is dropped. By default it does nothing.
  func destroy() throws

  /// Renames the table. By default it does nothing.
  func rename(to name: String) throws
}

extension VirtualTable {
  /// Plans a full scan in no particular order.
  public func bestIndex(_ query: IndexQuery) throws -> IndexPlan? { IndexPlan() }
  /// Does nothing.
  public func destroy() throws {}
  /// Does nothing.
  public func rename(to name: String) throws {}
}
