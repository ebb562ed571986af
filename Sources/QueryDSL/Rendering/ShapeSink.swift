import SQLCore

/// Writes a query's shape: a byte for each token, numbers for tables and columns, and of a value
/// only that there is one.
struct ShapeSink: QuerySink {
  private var key: StatementKey

  // The bytes that stand for what is no token; tokens end before them.
  private enum Mark {
    static let table: UInt8 = 0xF0
    static let tableName: UInt8 = 0xF1
    static let column: UInt8 = 0xF2
    static let columnName: UInt8 = 0xF3
    static let allColumns: UInt8 = 0xF4
    static let function: UInt8 = 0xF5
    static let value: UInt8 = 0xF6
    static let fragment: UInt8 = 0xF7
    static let openScope: UInt8 = 0xF8
    static let closeScope: UInt8 = 0xF9
    static let alias: UInt8 = 0xFA
  }

  /// Writes the shape into a key.
  static func write(
    into key: inout StatementKey, _ body: (inout ShapeSink) throws -> Void
  ) throws {
    var sink = ShapeSink(key: key)
    defer { key = sink.key }
    try body(&sink)
  }

  mutating func token(_ token: SQLToken) { key.append(token.rawValue) }
  mutating func table(_ table: TableID) { append(Mark.table, table) }
  mutating func tableName(_ table: TableID) { append(Mark.tableName, table) }
  mutating func column(_ column: ColumnID) { append(Mark.column, column) }
  mutating func columnName(_ column: ColumnID) { append(Mark.columnName, column) }
  mutating func allColumns(of table: TableID) { append(Mark.allColumns, table) }
  mutating func value(_ value: BoundValue) { key.append(Mark.value) }
  mutating func closeScope() { key.append(Mark.closeScope) }

  mutating func function(_ name: String) {
    key.append(Mark.function)
    key.append(text: name)
  }

  mutating func alias(_ name: String) {
    key.append(Mark.alias)
    key.append(text: name)
  }

  mutating func fragment(_ sql: SQL) {
    key.append(Mark.fragment)
    key.append(text: sql.text)
  }

  mutating func openScope(_ tables: @autoclosure () -> [TableID]) {
    // The tables are written where they stand in FROM.
    key.append(Mark.openScope)
  }

  private mutating func append(_ mark: UInt8, _ table: TableID) {
    key.append(mark)
    // One number for both halves.
    key.append(UInt64(table.layout) << 16 | UInt64(table.source))
  }

  private mutating func append(_ mark: UInt8, _ column: ColumnID) {
    append(mark, column.table)
    key.append(column.index)
  }
}
