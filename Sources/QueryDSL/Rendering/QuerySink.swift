import SQLCore

/// A destination to which a query writes itself. The same walk over the tree produces a shape with
/// its values, or SQL.
///
/// Both kinds of sinks receive the same calls in the same order. So everything that changes the SQL
/// also changes the shape, and the values are bound in the order of their parameters.
package protocol QuerySink {
  mutating func token(_ token: SQLToken) throws
  /// Writes a table in FROM or JOIN, with an alias if it needs one. A query or common table there
  /// was written before by the caller, so only its alias is written.
  mutating func table(_ table: TableID) throws
  /// Writes a table by its name only, as in INSERT, UPDATE and DELETE.
  mutating func tableName(_ table: TableID) throws
  mutating func column(_ column: ColumnID) throws
  /// Writes a column by its name only, as in SET and lists of columns.
  mutating func columnName(_ column: ColumnID) throws
  /// Writes every column of a table, in the order of its model.
  mutating func allColumns(of table: TableID) throws
  /// Writes the name of a function, or other words, unchanged.
  mutating func function(_ name: String) throws
  /// Writes the alias of a result column.
  mutating func alias(_ name: String) throws
  /// Writes a result column by its name.
  mutating func resultColumn(_ name: String) throws
  /// Writes the name of a window that the query defines.
  mutating func windowName(_ name: String) throws
  mutating func value(_ value: BoundValue) throws
  /// Whether an expression that is assigned to a column is checked for a result beyond 64 bits. A
  /// shape is the same with and without the checks, since they belong to the table's definition.
  mutating func checksInteger(_ column: ColumnID) throws -> Bool
  mutating func fragment(_ sql: SQL) throws
  /// Brings the tables of a statement into scope, until `closeScope()`. It takes only the parts
  /// that it needs, because passing a whole statement would copy it.
  mutating func openScope(
    _ from: TableID, _ joins: [SelectStatement.Join], _ extras: SelectExtras?) throws
  mutating func closeScope() throws
  /// Hides the tables of the scope from what follows, until `showScope()`: a query in FROM cannot
  /// see them.
  mutating func hideScope() throws
  mutating func showScope() throws
  /// Brings the names of common tables into scope, until `closeCommonTables()`.
  mutating func openCommonTables(_ tables: [CommonTableNode]) throws
  mutating func closeCommonTables() throws
  /// Writes the name and the columns of a common table in its definition.
  mutating func commonTableDefinition(_ table: CommonTableNode) throws
  /// Writes the name of a common table in FROM or JOIN.
  mutating func commonTable(_ table: CommonTableName) throws
}

/// A table of a query: its model, and a number that distinguishes it from other tables.
///
/// Each table of each query has a number of its own. So a query inside another never confuses its
/// tables with those of the other, even if they have the same model. In a shape, a table is
/// identified by its position among the tables in scope instead, so that a query that is built
/// again has the same shape.
@usableFromInline
package struct TableID: Hashable, BitwiseCopyable, Sendable {
  /// The source of the table in a declaration; tables of queries never have it.
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
package struct ColumnID: Hashable, BitwiseCopyable, Sendable {
  @usableFromInline package let table: TableID
  @usableFromInline package let index: UInt16

  @inlinable
  package init(table: TableID, index: UInt16) {
    self.table = table
    self.index = index
  }
}
