import SQLCore

/// The first byte of each part of a shape that is not a token. A token is a single byte, whose
/// value is smaller than the value of any mark.
enum ShapeMark: UInt8 {
  case table = 0xE0
  case tableName, column, columnName, allColumns, words, value, fragment
  case openTable, openScope, closeScope, alias, resultColumn, commonTableDefinition
  case checked, checkedRows, endOfChecked

  /// The number that is written in place of a table's position if the table is not in scope. The
  /// table's layout and source are written after it.
  static let noPlace = UInt16.max
}

/// The kind of a table that comes into scope.
package enum ScopeKind: UInt8, Sendable {
  case model
  case query
  case common
  case function
  /// The row `excluded`, `OLD` or `NEW`. Its name is not quoted, and is written before each column,
  /// as in `OLD."title"`.
  case row
}

/// The writer of a query's shape. A shape has a byte for each token, numbers for tables and
/// columns, and one byte in place of each value. The writer collects the values in the order of
/// their parameters.
///
/// The shape contains everything that the SQL depends on, and `ShapeReader` reads the SQL from it.
/// In the shape, a table is a position among the tables in scope, so that a query that is built
/// again has the same shape.
///
/// A mistake does not interrupt the writing. Afterwards, `check()` throws the error for the first
/// mistake.
package struct ShapeWriter {
  private(set) var draft: StatementDraft
  /// The only table in scope, if `context` is nil.
  private var table = TableID.none
  /// The tables and names in scope, and the error for the first mistake. The context is nil if no
  /// mistake was noted and at most a single table of a model is in scope, as in most queries.
  private var context: Context?

  private final class Context {
    struct Scope {
      let tables: [TableID]
      let windows: [String]
      /// Whether the tables of this scope are hidden from the parts that are being written. A query
      /// in a FROM clause, for example, cannot use the other tables of this clause.
      var isHidden = false
    }

    var scopes: [Scope] = []
    /// The common tables of each WITH clause in scope.
    var commonTables: [[CommonTableName]] = []
    var problem: QueryError?
    /// Whether only a part of a query is written. The part may use the tables and names of the
    /// whole query.
    var isPart = false
  }

  init(_ draft: StatementDraft, isPart: Bool = false) {
    self.draft = draft
    if isPart { makeContext().isPart = true }
  }

  /// Notes a mistake.
  mutating func fail(_ problem: QueryError) {
    let context = makeContext()
    if context.problem == nil { context.problem = problem }
  }

  /// Throws the error for the first mistake, if a mistake was noted.
  func check() throws {
    if let problem = context?.problem { throw problem }
  }

  // MARK: Words and values

  mutating func token(_ token: SQLToken) { draft.key.append(token.rawValue) }

  mutating func value(_ value: BoundValue) {
    append(.value)
    draft.values.append(value)
  }

  mutating func value(_ integer: Int64) {
    append(.value)
    draft.values.append(integer)
  }

  /// Writes the name of a function, or other words, unchanged.
  mutating func function(_ name: String) { append(.words, name) }

  /// Writes the alias of a result column.
  mutating func alias(_ name: String) { append(.alias, name) }

  /// Writes the name of a result column.
  mutating func resultColumn(_ name: String) { append(.resultColumn, name) }

  /// Writes the name of a window that the query defines.
  mutating func windowName(_ name: String) {
    append(.alias, name)
    if context?.scopes.last?.windows.contains(name) ?? false { return }
    failUse("OVER \(name): the query has no NamedWindow of that name")
  }

  mutating func fragment(_ sql: SQL) {
    append(.fragment, sql.text)
    draft.key.append(UInt32(truncatingIfNeeded: sql.bindings.count))
    draft.values.append(contentsOf: sql.bindings)
  }

  // MARK: Tables and columns

  /// Writes a table in FROM or JOIN, and its alias if it needs one. If the table is a query or a
  /// function, the caller must have written the query or the call before. This method then writes
  /// only the alias.
  mutating func table(_ table: TableID) { append(.table, table) }

  /// Writes the name of a table without an alias, as in INSERT, UPDATE and DELETE. The table is the
  /// first of the innermost scope.
  mutating func tableName(_ table: TableID) {
    draft.key.append(ShapeMark.tableName.rawValue, table.layout)
  }

  /// Writes every column of a table, in the order of its model.
  mutating func allColumns(of table: TableID) { append(.allColumns, table) }

  mutating func column(_ column: ColumnID) {
    if column.table == table {
      return draft.key.append(ShapeMark.column.rawValue, 0, column.index)
    }
    append(.column, distant: column.table)
    draft.key.append(column.index)
  }

  /// Writes the name of a column without the table, as in SET and lists of columns.
  mutating func columnName(_ column: ColumnID) { append(.columnName, unqualified: column) }

  /// Writes an expression that is assigned to a column. If the expression may overflow, the shape
  /// marks it. The shape cannot contain the check for an overflow, because it does not know whether
  /// the table is STRICT. If the table is not STRICT and the column stores integers, `ShapeText`
  /// adds the check at the mark.
  mutating func assigned(_ value: ExpressionNode, to column: ExpressionNode) {
    guard value.mayOverflow, let column = column.columnID else { return value.write(to: &self) }
    append(.checked, unqualified: column)
    value.write(to: &self)
    append(.endOfChecked)
  }

  /// Marks the start of a query whose rows are inserted into the given columns. `ShapeText` may add
  /// a check of the rows to the query, as it does for an assigned expression.
  mutating func openCheckedRows(_ columns: [ColumnID]) {
    draft.key.append(ShapeMark.checkedRows.rawValue, UInt16(truncatingIfNeeded: columns.count))
    for column in columns {
      draft.key.append(column.table.layout)
      draft.key.append(column.index)
    }
  }

  mutating func closeCheckedRows() { append(.endOfChecked) }

  // MARK: Scopes

  /// Brings the tables of a statement into scope, until `closeScope()`. The function takes only the
  /// needed parts of the statement, because passing a whole statement would copy it.
  mutating func openScope(
    _ from: TableID, _ joins: [SelectStatement.Join], _ extras: SelectExtras?
  ) {
    guard context == nil, table.isNone, !from.isNone, joins.isEmpty, extras == nil else {
      let tables = from.isNone ? [] : [from] + joins.map(\.table)
      return openScope(
        tables.map { ($0, extras?.source(of: $0)) },
        windows: extras?.content.windows.map(\.name) ?? [])
    }
    table = from
    draft.key.append(ShapeMark.openTable.rawValue, from.layout)
  }

  /// Brings tables into scope. In a trigger, for example, the rows OLD and NEW are in scope as if
  /// they were tables.
  mutating func openScope(
    _ tables: [(table: TableID, source: TableReference.Source?)], windows: [String] = []
  ) {
    for (table, source) in tables {
      if place(of: table) != nil {
        failUse(
          "a query over \(Self.name(of: table)) contains itself; write the inner query separately, "
            + "so that each of the two has a table of its own")
      }
      checkCommonTables(table, source)
    }
    if tables.count == 1, tables[0].source == nil {
      draft.key.append(ShapeMark.openTable.rawValue, tables[0].table.layout)
    } else {
      draft.key.append(ShapeMark.openScope.rawValue, UInt16(truncatingIfNeeded: tables.count))
      for (table, source) in tables {
        let (kind, name): (ScopeKind, String?) =
          switch source {
          case nil: (.model, nil)
          case .nested: (.query, nil)
          case .common(let table): (.common, table.name)
          case .function(let name, _): (.function, name)
          case .row(let name): (.row, name)
          }
        draft.key.append(kind.rawValue, table.layout)
        if let name { draft.key.append(text: name) }
      }
    }
    makeContext().scopes.append(Context.Scope(tables: tables.map(\.table), windows: windows))
  }

  mutating func closeScope() {
    append(.closeScope)
    table = .none
    if let context { _ = context.scopes.popLast() }
  }

  /// Hides the tables of the innermost scope from the parts that are written next, or shows them
  /// again. A query in FROM, for example, cannot use the other tables of that FROM.
  mutating func hideScope(_ isHidden: Bool) {
    guard let context, let last = context.scopes.indices.last else { return }
    context.scopes[last].isHidden = isHidden
  }

  /// Brings the names of common tables into scope, until `closeCommonTables()`.
  mutating func openCommonTables(_ tables: [CommonTableNode]) {
    let context = makeContext()
    var known = Set(context.commonTables.joined().map(\.name.lowercasedASCII))
    for table in tables where !known.insert(table.name.name.lowercasedASCII).inserted {
      failUse("WITH \(table.name.name): there are two common tables of that name")
    }
    context.commonTables.append(tables.map(\.name))
  }

  mutating func closeCommonTables() { _ = context?.commonTables.popLast() }

  /// Writes the name and the columns of a common table in its definition.
  mutating func commonTableDefinition(_ table: CommonTableNode) {
    append(.commonTableDefinition, table.name.name)
    draft.key.append(table.layout)
  }

  /// Notes a mistake in two cases: if the table is a common table that is not in scope, or if it is
  /// the table of a model and a common table in scope has the same name.
  private mutating func checkCommonTables(_ table: TableID, _ source: TableReference.Source?) {
    let inScope = (context?.commonTables ?? []).flatMap { $0 }
    switch source {
    case .common(let table) where !inScope.contains(table):
      failUse(
        "the common table \(table.name) is in FROM or a join, but the query has no With(…) for it")
    case nil where !inScope.isEmpty:
      let name = Self.name(of: table)
      guard inScope.contains(where: { $0.name.isSame(as: name) }) else { return }
      failUse("WITH \(name): the query also uses a table of that name; rename the common table")
    default: break
    }
  }

  // MARK: Places

  private mutating func makeContext() -> Context {
    if let context { return context }
    let context = Context()
    if !table.isNone { context.scopes = [Context.Scope(tables: [table], windows: [])] }
    table = .none
    self.context = context
    return context
  }

  /// Returns the position of a table in scope: the number of the scope, and the position within the
  /// scope. If several scopes have the table, the innermost counts. Returns nil if no scope has it.
  private func place(of table: TableID) -> UInt16? {
    guard let context else { return table == self.table ? 0 : nil }
    for (number, scope) in context.scopes.enumerated().reversed() where !scope.isHidden {
      guard let index = scope.tables.firstIndex(of: table) else { continue }
      return UInt16(truncatingIfNeeded: number << 8 | index)
    }
    return nil
  }

  /// Notes a mistake in the use of tables and names. Does nothing if only a part of a query is
  /// written, because the whole query may be correct.
  private mutating func failUse(_ problem: @autoclosure () -> String) {
    if context?.isPart != true { fail(QueryError(problem())) }
  }

  private static func name(of table: TableID) -> String {
    LayoutRegistry.shared.layout(number: table.layout)?.tableName ?? ""
  }

  // MARK: Bytes

  private mutating func append(_ mark: ShapeMark) { draft.key.append(mark.rawValue) }

  private mutating func append(_ mark: ShapeMark, _ text: String) {
    append(mark)
    draft.key.append(text: text)
  }

  private mutating func append(_ mark: ShapeMark, unqualified column: ColumnID) {
    draft.key.append(mark.rawValue, column.table.layout, column.index)
  }

  @inline(__always)
  private mutating func append(_ mark: ShapeMark, _ table: TableID) {
    if table == self.table { return draft.key.append(mark.rawValue, 0) }
    append(mark, distant: table)
  }

  private mutating func append(_ mark: ShapeMark, distant table: TableID) {
    if let place = place(of: table) { return draft.key.append(mark.rawValue, place) }
    draft.key.append(mark.rawValue, ShapeMark.noPlace)
    draft.key.append(table.layout)
    draft.key.append(table.source)
    failUse("the table \(Self.name(of: table)) is used, but it is not in FROM or a join")
  }
}
