import SQLCore

/// Where a query writes itself: one walk over the tree serves the shape, the SQL and the binding.
///
/// The three see the same calls in the same order. So what changes the SQL changes the shape, and
/// the values are bound in the order of their parameters.
package protocol QuerySink {
  mutating func token(_ token: SQLToken) throws
  /// A table in FROM or JOIN, with an alias where it needs one.
  mutating func table(_ table: TableID) throws
  /// A table by its name alone, as INSERT, UPDATE and DELETE name it.
  mutating func tableName(_ table: TableID) throws
  mutating func column(_ column: ColumnID) throws
  /// A column by its name alone, as SET and a list of columns name it.
  mutating func columnName(_ column: ColumnID) throws
  /// Every column of a table, in the order of its model.
  mutating func allColumns(of table: TableID) throws
  mutating func function(_ name: String) throws
  /// The name that a column of the result gets.
  mutating func alias(_ name: String) throws
  mutating func value(_ value: BoundValue) throws
  mutating func fragment(_ sql: SQL) throws
  /// The tables of a SELECT come into scope, and go out of it.
  mutating func openScope(_ tables: @autoclosure () -> [TableID]) throws
  mutating func closeScope() throws
}

/// A table of a query: its model, and which of the query's tables it is.
@usableFromInline
package struct TableID: Hashable, Sendable {
  /// The number of the model's layout.
  package let layout: UInt32
  /// Its place among the parameters of the query.
  package let source: UInt16
}

/// A column of a table of a query.
@usableFromInline
package struct ColumnID: Hashable, Sendable {
  @usableFromInline package let table: TableID
  @usableFromInline package let index: UInt16

  @inlinable
  package init(table: TableID, index: UInt16) {
    self.table = table
    self.index = index
  }
}
