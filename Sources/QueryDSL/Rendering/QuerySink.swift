import SQLCore

/// Where a query writes itself: one walk over the tree serves the shape with its values, and the SQL.
///
/// Both see the same calls in the same order. So what changes the SQL changes the shape, and
/// the values are bound in the order of their parameters.
package protocol QuerySink {
  mutating func token(_ token: SQLToken) throws
  /// A table in FROM or JOIN, with an alias where it needs one; of a query there, and of a common
  /// table, the alias alone.
  mutating func table(_ table: TableID) throws
  /// A table by its name alone, as INSERT, UPDATE and DELETE name it.
  mutating func tableName(_ table: TableID) throws
  mutating func column(_ column: ColumnID) throws
  /// A column by its name alone, as SET and a list of columns name it.
  mutating func columnName(_ column: ColumnID) throws
  /// Every column of a table, in the order of its model.
  mutating func allColumns(of table: TableID) throws
  /// A function's name, and other words that are written as they are.
  mutating func function(_ name: String) throws
  /// The name that a column of the result gets.
  mutating func alias(_ name: String) throws
  /// A column of the result by its name.
  mutating func resultColumn(_ name: String) throws
  /// A window that the query defines, by its name.
  mutating func windowName(_ name: String) throws
  mutating func value(_ value: BoundValue) throws
  mutating func fragment(_ sql: SQL) throws
  /// The tables of a statement come into scope, and go out of it. Only what is needed of it is
  /// handed over: a whole statement would be copied.
  mutating func openScope(
    _ from: TableID, _ joins: [SelectStatement.Join], _ extras: SelectExtras?) throws
  mutating func closeScope() throws
  /// What follows, until the end, does not see the tables of the scope: a query in FROM.
  mutating func hideScope() throws
  mutating func showScope() throws
  /// The names of common tables that come into scope, and go out of it.
  mutating func openCommonTables(_ tables: [CommonTableNode]) throws
  mutating func closeCommonTables() throws
  /// A common table where it is defined: its name and those of its columns.
  mutating func commonTableDefinition(_ table: CommonTableNode) throws
  /// A common table in FROM or JOIN, by its name.
  mutating func commonTable(_ table: CommonTableName) throws
}

/// A table of a query: its model, and which of the query's tables it is.
///
/// Each table of each query has a number of its own, so that a query inside another never takes
/// the other's table for its own, though they are of one model. A shape knows tables by their
/// place among those in scope instead: a query built again has the same.
@usableFromInline
package struct TableID: Hashable, Sendable {
  /// The source of the table that a declaration is about; no table of a query has it.
  static var declared: UInt32 { 0 }

  package let source: UInt32
  /// The number of the model's layout.
  package let layout: UInt16

  @usableFromInline
  init(layout: UInt16, source: UInt32) {
    self.layout = layout
    self.source = source
  }
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
