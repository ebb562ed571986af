import SQLCore

/// The marks of a shape: the bytes for everything except tokens, whose bytes are smaller.
enum ShapeMark: UInt8 {
  case table = 0xE0
  case tableName, column, columnName, allColumns, words, value, fragment
  case openScope, closeScope, alias, resultColumn
  case openCommonTables, closeCommonTables, commonTableDefinition
  case checked, checkedRows, endOfChecked

  /// The place of a table that is not in scope. Its layout and source follow.
  static let noPlace = UInt16.max
  /// The numbers in place of a column, if there is none.
  static let noColumn = (layout: UInt16(0), index: UInt16(0))
}

/// The kind of a table in FROM.
package enum ScopeKind: UInt8, Sendable {
  case model
  case query
  case common
  case function
  /// `excluded`, `OLD` or `NEW`, which are not quoted and always written before a column.
  case excluded, old, new
}

/// The writer of a query's shape: a byte for each token, numbers for tables and columns, and one
/// byte in place of each value. It collects the values in the order of their parameters.
///
/// The shape contains everything that the SQL depends on, which `ShapeReader` reads from it. A table
/// is identified by its position among the tables in scope, so that a query that is built again has
/// the same shape.
package struct ShapeWriter {
  private(set) var draft: StatementDraft
  /// The first mistake in the use of tables and names. The shape is then not that of a statement.
  private var problem: QueryError?
  /// The first table of the outermost scope. Most queries have no other.
  private var first = TableID.none
  private var depth = 0
  /// The other tables in scope. The tables of each inner scope follow a mark.
  private var others: [TableID]?
  /// The scopes of which a query in FROM is being written, which cannot see their tables: a bit for
  /// each depth.
  private var hiddenScopes: UInt64 = 0
  /// The common tables in scope. The tables of each WITH follow a mark.
  private var commonTables: [CommonTableName]?
  /// The names of the windows in scope.
  private var windows: [(depth: Int, names: [String])]?

  private static let scopeMark = TableID(layout: .max, source: .max)
  private static let commonTableMark = CommonTableName(id: .max, name: "")

  init(_ draft: StatementDraft) {
    self.draft = draft
  }

  /// Throws the first mistake in the use of tables and names.
  func check() throws {
    if let problem { throw problem }
  }

  private mutating func note(_ problem: @autoclosure () -> String) {
    if self.problem == nil { self.problem = QueryError(problem()) }
  }

  private static func name(of table: TableID) -> String {
    LayoutRegistry.shared.layout(number: table.layout)?.tableName ?? ""
  }

  // MARK: Words and values

  mutating func token(_ token: SQLToken) { draft.key.append(token.rawValue) }

  mutating func value(_ value: BoundValue) {
    append(.value)
    draft.values.append(value)
  }

  /// Writes the name of a function, or other words, unchanged.
  mutating func function(_ name: String) { append(.words, name) }

  /// Writes the alias of a result column.
  mutating func alias(_ name: String) { append(.alias, name) }

  /// Writes a result column by its name.
  mutating func resultColumn(_ name: String) { append(.resultColumn, name) }

  /// Writes the name of a window that the query defines.
  mutating func windowName(_ name: String) {
    append(.alias, name)
    guard let last = windows?.last, last.depth == depth, last.names.contains(name) else {
      return note("OVER \(name): the query has no NamedWindow of that name")
    }
  }

  mutating func fragment(_ sql: SQL) {
    append(.fragment, sql.text)
    draft.key.append(UInt32(truncatingIfNeeded: sql.bindings.count))
    draft.values.append(contentsOf: sql.bindings)
  }

  // MARK: Tables and columns

  /// Writes a table in FROM or JOIN, with an alias if it needs one. A query or a function there was
  /// written before by the caller, so only its alias is written.
  mutating func table(_ table: TableID) { append(.table, table) }

  /// Writes a table by its name only, as in INSERT, UPDATE and DELETE. The table is the first of
  /// the innermost scope.
  mutating func tableName(_ table: TableID) {
    draft.key.append(ShapeMark.tableName.rawValue, table.layout)
  }

  /// Writes every column of a table, in the order of its model.
  mutating func allColumns(of table: TableID) { append(.allColumns, table) }

  mutating func column(_ column: ColumnID) {
    if isFirst(column.table) {
      return draft.key.append(ShapeMark.column.rawValue, 0, column.index)
    }
    append(.column, distant: column.table)
    draft.key.append(column.index)
  }

  /// Writes a column by its name only, as in SET and lists of columns.
  mutating func columnName(_ column: ColumnID) {
    append(.columnName, unqualified: column)
  }

  // MARK: Scopes

  /// Brings the tables of a statement into scope, until `closeScope()`. It takes only the parts
  /// that it needs, because passing a whole statement would copy it.
  mutating func openScope(
    _ from: TableID, _ joins: [SelectStatement.Join], _ extras: SelectExtras?
  ) {
    depth &+= 1
    guard depth == 1, joins.isEmpty, extras == nil else {
      return openLargeScope(from, joins, extras)
    }
    first = from
    draft.key.append(ShapeMark.openScope.rawValue, from.layout, 0)
  }

  private mutating func openLargeScope(
    _ from: TableID, _ joins: [SelectStatement.Join], _ extras: SelectExtras?
  ) {
    if let names = extras?.content.windows, !names.isEmpty {
      windows = (windows ?? []) + [(depth, names.map(\.name))]
    }
    if depth > 1 {
      checkIsNew(from)
      for join in joins { checkIsNew(join.table) }
    }
    let hasSources = extras?.content.sources.isEmpty == false
    let count = joins.isEmpty && !hasSources ? 0 : joins.count + 1
    draft.key.append(
      ShapeMark.openScope.rawValue, from.layout, UInt16(truncatingIfNeeded: count))
    if count > 0 {
      append(from, of: extras?.source(of: from))
      for join in joins { append(join.table, of: extras?.source(of: join.table)) }
    }
    if depth == 1 {
      first = from
    } else {
      others = (others ?? []) + [Self.scopeMark, from]
    }
    if !joins.isEmpty { others = (others ?? []) + joins.map(\.table) }
  }

  /// Brings the rows of a trigger into scope, around a statement or a condition.
  mutating func openRows(_ rows: [(table: TableID, kind: ScopeKind)]) {
    guard let row = rows.first else { return }
    depth &+= 1
    draft.key.append(
      ShapeMark.openScope.rawValue, row.table.layout, UInt16(truncatingIfNeeded: rows.count))
    for row in rows { draft.key.append(row.kind.rawValue, row.table.layout, 0) }
    first = row.table
    if rows.count > 1 { others = rows.dropFirst().map(\.table) }
  }

  /// Appends the kind and the layout of a table that comes into scope.
  private mutating func append(_ table: TableID, of source: TableReference.Source?) {
    switch source {
    case nil: draft.key.append(ScopeKind.model.rawValue, table.layout, 0)
    case .nested: draft.key.append(ScopeKind.query.rawValue, table.layout, 0)
    case .common(let name):
      draft.key.append(ScopeKind.common.rawValue, table.layout, place(of: name))
    case .function(let name, _):
      draft.key.append(ScopeKind.function.rawValue, table.layout, 0)
      draft.key.append(text: name)
    case .excluded: draft.key.append(ScopeKind.excluded.rawValue, table.layout, 0)
    }
  }

  mutating func closeScope() {
    append(.closeScope)
    if let last = windows?.last, last.depth == depth { windows?.removeLast() }
    depth &-= 1
    if depth == 0 {
      first = .none
      if others != nil { others = nil }
    } else {
      while let last = others?.popLast(), last != Self.scopeMark {}
    }
  }

  /// Hides the tables of the scope from what follows, until `showScope()`: a query in FROM cannot
  /// see them.
  mutating func hideScope() { hiddenScopes |= 1 &<< UInt64(depth) }

  mutating func showScope() { hiddenScopes &= ~(1 &<< UInt64(depth)) }

  /// Brings the names of common tables into scope, until `closeCommonTables()`.
  mutating func openCommonTables(_ tables: [CommonTableNode]) {
    draft.key.append(
      ShapeMark.openCommonTables.rawValue, UInt16(truncatingIfNeeded: tables.count))
    for table in tables { draft.key.append(text: table.name.name) }
    commonTables = (commonTables ?? []) + [Self.commonTableMark] + tables.map(\.name)
  }

  mutating func closeCommonTables() {
    append(.closeCommonTables)
    while let last = commonTables?.popLast(), last != Self.commonTableMark {}
  }

  /// Writes the name and the columns of a common table in its definition.
  mutating func commonTableDefinition(_ table: CommonTableNode) {
    append(.commonTableDefinition, table.name.name)
    draft.key.append(table.layout)
  }

  // MARK: Checks of integers

  /// Begins an expression that is assigned to a column. Its result is checked if the column has
  /// integers and the table is not STRICT, which the shape does not know.
  mutating func openChecked(_ column: ColumnID) { append(.checked, unqualified: column) }

  /// Begins a query whose rows are inserted into columns and checked in the same way.
  mutating func openCheckedRows(_ columns: [ColumnID?]) {
    draft.key.append(ShapeMark.checkedRows.rawValue, UInt16(truncatingIfNeeded: columns.count))
    for column in columns {
      draft.key.append(column?.table.layout ?? ShapeMark.noColumn.layout)
      draft.key.append(column?.index ?? ShapeMark.noColumn.index)
    }
  }

  mutating func closeChecked() { append(.endOfChecked) }

  // MARK: Bytes

  private mutating func append(_ mark: ShapeMark) { draft.key.append(mark.rawValue) }

  private mutating func append(_ mark: ShapeMark, _ text: String) {
    append(mark)
    draft.key.append(text: text)
  }

  private mutating func append(_ mark: ShapeMark, unqualified column: ColumnID) {
    draft.key.append(mark.rawValue, column.table.layout, column.index)
  }

  private mutating func append(_ mark: ShapeMark, _ table: TableID) {
    if isFirst(table) { return draft.key.append(mark.rawValue, 0) }
    append(mark, distant: table)
  }

  private mutating func append(_ mark: ShapeMark, distant table: TableID) {
    append(mark)
    if let place = place(of: table) { return draft.key.append(place) }
    draft.key.append(ShapeMark.noPlace)
    draft.key.append(table.layout)
    draft.key.append(table.source)
    note("the table \(Self.name(of: table)) is used, but it is not in FROM or a join")
  }

  // MARK: Places

  /// Whether a table is the first one and no others are in scope, so that its position is 0.
  @inline(__always)
  private func isFirst(_ table: TableID) -> Bool { others == nil && table == first }

  /// Returns the position of a table among the tables in scope; of equal tables, the innermost
  /// counts. Returns nil if it is not in scope.
  private func place(of table: TableID) -> UInt16? {
    var depth = depth
    if let others {
      for index in others.indices.reversed() {
        if others[index] == Self.scopeMark {
          depth -= 1
        } else if others[index] == table, isVisible(depth) {
          return UInt16(truncatingIfNeeded: index &+ 1)
        }
      }
    }
    return table == first && isVisible(1) ? 0 : nil
  }

  private func isVisible(_ depth: Int) -> Bool { hiddenScopes & 1 &<< UInt64(depth) == 0 }

  private mutating func checkIsNew(_ table: TableID) {
    guard !table.isNone, place(of: table) != nil else { return }
    note(
      "a query over \(Self.name(of: table)) contains itself; write the inner query separately, so "
        + "that each of the two has a table of its own")
  }

  private mutating func place(of table: CommonTableName) -> UInt16 {
    if let place = commonTables?.lastIndex(of: table) { return UInt16(truncatingIfNeeded: place) }
    note(
      "the common table \(table.name) is in FROM or a join, but the query has no With(…) for it")
    return ShapeMark.noPlace
  }
}
