import SQLCore

/// A tree that can be written as a statement: a query, an insert, an update or a deletion.
package protocol Renderable: StatementSource {
  func write<Sink: QuerySink>(to sink: inout Sink) throws
}

extension Renderable {
  /// Returns the SQL and its values.
  package func rendered() throws -> SQL {
    var sink = TextSink()
    try write(to: &sink)
    return SQL(text: sink.text, bindings: sink.bindings)
  }
}

extension Renderable {
  package func statementText() throws -> String {
    try rendered().text
  }

  /// Returns the bytes with which a connection finds the statement in its cache. They are equal
  /// only for equal SQL.
  package func shape() throws -> [UInt8] {
    var sink = ShapeSink(StatementDraft())
    defer { sink.draft.deallocate() }
    try write(to: &sink)
    return Array(sink.draft.key.bytes)
  }
}

extension ConnectionCore {
  /// Lends the statement of a query with its values bound. The shape is written here, and not in
  /// `SQLCore`, so that the code is specialised for the query.
  package func lendStatement(for query: some Renderable) throws -> StatementPointer {
    var sink = ShapeSink(beginDraft())
    do {
      try query.write(to: &sink)
    } catch {
      discard(sink.draft)
      throw error
    }
    return try lendStatement(of: sink.draft, for: query)
  }

  /// Lends the statement of a SELECT. Clients call this from code that is specialised for their
  /// models.
  @usableFromInline
  func lendStatement(forSelect statement: SelectStatement) throws -> StatementPointer {
    try lendStatement(for: statement)
  }
}

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

/// A sink that keeps only the columns that are written.
struct ColumnSink: QuerySink {
  private(set) var columns: Set<ColumnID> = []

  mutating func column(_ column: ColumnID) { columns.insert(column) }
  mutating func allColumns(of table: TableID) {
    let count = LayoutRegistry.shared.layout(number: table.layout)?.columns.count ?? 0
    for index in 0..<count {
      columns.insert(ColumnID(table: table, index: UInt16(truncatingIfNeeded: index)))
    }
  }
  func token(_ token: SQLToken) {}
  func table(_ table: TableID) {}
  func tableName(_ table: TableID) {}
  func columnName(_ column: ColumnID) {}
  func function(_ name: String) {}
  func alias(_ name: String) {}
  func resultColumn(_ name: String) {}
  func windowName(_ name: String) {}
  func value(_ value: BoundValue) {}
  func fragment(_ sql: SQL) {}
  func openScope(
    _ from: TableID, _ joins: [SelectStatement.Join], _ extras: SelectExtras?
  ) {}
  func closeScope() {}
  func hideScope() {}
  func showScope() {}
  func openCommonTables(_ tables: [CommonTableNode]) {}
  func closeCommonTables() {}
  func commonTableDefinition(_ table: CommonTableNode) {}
  func commonTable(_ table: CommonTableName) {}
}

/// The error for a query that is not valid SQL, found before any SQL runs.
public struct QueryError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The error message, with the table or clause that it concerns.
  public let message: String

  package init(_ message: String) {
    self.message = message
  }

  /// The message.
  public var description: String { message }
}
