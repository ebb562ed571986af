import SQLCore

/// The sink that writes a query's shape: a byte for each token, numbers for tables and columns, and
/// one byte in place of each value. It collects the values in the order of their parameters.
///
/// A table is identified by its position among the tables in scope, so that a query that is built
/// again has the same shape.
struct ShapeSink: QuerySink {
  private(set) var draft: StatementDraft
  /// The first table of the outermost scope. Most queries have no other.
  private var first = TableID(layout: 0, source: 0)
  private var depth = 0
  /// The other tables in scope. The tables of each inner scope follow a mark.
  private var others: [TableID]?
  /// The common tables in scope. The tables of each WITH follow a mark.
  private var commonTables: [UInt32]?

  private static let scopeMark = TableID(layout: .max, source: .max)

  // The bytes for everything except tokens, whose bytes are smaller.
  private enum Mark {
    static let table: UInt8 = 0xE0
    static let tableName: UInt8 = 0xE1
    static let column: UInt8 = 0xE2
    static let columnName: UInt8 = 0xE3
    static let allColumns: UInt8 = 0xE4
    static let function: UInt8 = 0xE5
    static let value: UInt8 = 0xE6
    static let fragment: UInt8 = 0xE7
    static let openScope: UInt8 = 0xE8
    static let closeScope: UInt8 = 0xE9
    static let alias: UInt8 = 0xEA
    static let resultColumn: UInt8 = 0xEB
    static let windowName: UInt8 = 0xEC
    static let hideScope: UInt8 = 0xED
    static let showScope: UInt8 = 0xEE
    static let openCommonTables: UInt8 = 0xEF
    static let closeCommonTables: UInt8 = 0xF0
    static let commonTableDefinition: UInt8 = 0xF1
    static let commonTable: UInt8 = 0xF2
  }

  init(_ draft: StatementDraft) {
    self.draft = draft
  }

  mutating func token(_ token: SQLToken) { draft.key.append(token.rawValue) }

  mutating func value(_ value: BoundValue) {
    draft.key.append(Mark.value)
    draft.values.append(value)
  }

  mutating func table(_ table: TableID) { append(Mark.table, table) }
  mutating func tableName(_ table: TableID) { append(Mark.tableName, table) }
  mutating func allColumns(of table: TableID) { append(Mark.allColumns, table) }

  mutating func column(_ column: ColumnID) {
    if isFirst(column.table) { return draft.key.append(Mark.column, 0, column.index) }
    draft.key.append(Mark.column)
    appendPlace(ofDistant: column.table)
    draft.key.append(column.index)
  }

  mutating func columnName(_ column: ColumnID) {
    append(Mark.columnName, column.table)
    draft.key.append(column.index)
  }

  mutating func function(_ name: String) { append(Mark.function, name) }
  mutating func alias(_ name: String) { append(Mark.alias, name) }
  mutating func resultColumn(_ name: String) { append(Mark.resultColumn, name) }
  mutating func windowName(_ name: String) { append(Mark.windowName, name) }

  mutating func fragment(_ sql: SQL) {
    append(Mark.fragment, sql.text)
    draft.values.append(contentsOf: sql.bindings)
  }

  mutating func openScope(
    _ from: TableID, _ joins: [SelectStatement.Join], _ extras: SelectExtras?
  ) {
    // The tables themselves are written at their position in FROM.
    draft.key.append(Mark.openScope)
    depth &+= 1
    if depth == 1, joins.isEmpty {
      first = from
    } else {
      openLargeScope(from, joins)
    }
  }

  private mutating func openLargeScope(_ from: TableID, _ joins: [SelectStatement.Join]) {
    if depth == 1 {
      first = from
    } else {
      others = (others ?? []) + [Self.scopeMark, from]
    }
    if !joins.isEmpty { others = (others ?? []) + joins.map(\.table) }
  }

  mutating func closeScope() {
    draft.key.append(Mark.closeScope)
    depth &-= 1
    guard others != nil else { return }
    if depth == 0 {
      others = nil
    } else {
      while let last = others?.popLast(), last != Self.scopeMark {}
    }
  }

  mutating func hideScope() { draft.key.append(Mark.hideScope) }
  mutating func showScope() { draft.key.append(Mark.showScope) }

  mutating func openCommonTables(_ tables: [CommonTableNode]) {
    draft.key.append(Mark.openCommonTables)
    commonTables = (commonTables ?? []) + [.max] + tables.map(\.name.id)
  }

  mutating func closeCommonTables() {
    draft.key.append(Mark.closeCommonTables)
    while let last = commonTables?.popLast(), last != .max {}
  }

  mutating func commonTableDefinition(_ table: CommonTableNode) {
    append(Mark.commonTableDefinition, table.name.name)
    draft.key.append(table.layout)
  }

  mutating func commonTable(_ table: CommonTableName) {
    append(Mark.commonTable, table.name)
    // The common table is identified by its position. One that is not in scope is an error; its own
    // number keeps its shape different from that of every valid query.
    let place = commonTables?.lastIndex(of: table.id)
    draft.key.append(UInt16(truncatingIfNeeded: place ?? 0xFFFF))
    if place == nil { draft.key.append(table.id) }
  }

  private mutating func append(_ mark: UInt8, _ table: TableID) {
    if isFirst(table) { return draft.key.append(mark, table.layout, 0) }
    draft.key.append(mark)
    draft.key.append(table.layout)
    appendPlace(ofDistant: table)
  }

  private mutating func append(_ mark: UInt8, _ text: String) {
    draft.key.append(mark)
    draft.key.append(text: text)
  }

  /// Whether a table is the first one and no others are in scope, so that its position is 0.
  @inline(__always)
  private func isFirst(_ table: TableID) -> Bool { others == nil && table == first }

  /// Appends the position of a table among the tables in scope; of equal tables, the innermost
  /// counts. A table that is not in scope is an error, which the `TextSink` throws; its own number
  /// keeps the shape from being found in the cache.
  private mutating func appendPlace(ofDistant table: TableID) {
    if let place = others?.lastIndex(of: table) {
      draft.key.append(UInt16(truncatingIfNeeded: place &+ 1))
    } else if table == first {
      draft.key.append(UInt16(0))
    } else {
      draft.key.append(UInt16.max)
      draft.key.append(table.source)
    }
  }
}
