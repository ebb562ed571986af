import SQLCore

extension Shape {
  /// Returns the SQL of the shape.
  func text(writingLiterals: Bool = false) throws -> String {
    try bytes.withUnsafeBytes { bytes in
      try ShapeText(of: bytes, writing: writingLiterals ? values : nil).text
    }
  }
}

/// The SQL text of a shape, which the initialiser makes from the shape's parts.
///
/// In a join and in an inner query, each column is qualified: the name or the alias of its table is
/// written before it. A column in ORDER BY is also qualified if its name is the alias of a selected
/// expression, because SQLite would otherwise order by that expression. The other columns of a
/// SELECT over one table are not qualified. A table that occurs twice gets an alias.
struct ShapeText {
  private(set) var text = ""
  /// The tables of each open scope. The innermost scope is the last one.
  private var scopes: [[Table]] = []
  /// The values to write as literals in a declaration, such as a CHECK, which has no parameters.
  /// Nil for a statement.
  private var literals: ArraySlice<BoundValue>?
  /// The connection, which knows whether a table is STRICT. If a table is not STRICT, the SQL
  /// checks the values that are assigned to its integer columns. Without a connection, the SQL
  /// contains no checks.
  private let core: ConnectionCore?
  /// The SQL that ends the check of a value or of rows. It is empty if nothing is being checked.
  private var endOfCheck = ""
  /// Whether the values of a list are being written as literals, as in `a IN (1, 2)`. In this case,
  /// the text leaves out the subquery that would read the list from a parameter.
  private var isInArray = false
  /// For each scope, the aliases of its expressions, in lower case, and whether ORDER BY has begun.
  private var results: [(aliases: Set<String>, isOrdering: Bool)] = []
  /// The number of values that the shape has had so far, and whether it has had raw SQL.
  private var (valueCount, hasFragment) = (0, false)

  private struct Table {
    let kind: ScopeKind
    let layout: ModelLayout
    let name: String
    var alias: String?

    var qualifier: String { kind == .row ? name : Identifier(alias ?? name).quoted }
  }

  init(
    of shape: UnsafeRawBufferPointer, writing literals: [BoundValue]? = nil,
    on core: ConnectionCore? = nil
  ) throws {
    self.literals = literals.map { $0[...] }
    self.core = core
    var reader = ShapeReader(shape)
    while let part = reader.next() { try append(part) }
    if hasFragment, literals == nil { try checkParameters() }
  }

  /// Throws if raw SQL has a parameter without a value, or a value without a parameter. Without
  /// this check, all later values would be bound to wrong parameters.
  private func checkParameters() throws {
    let parameters = SQLTokens(text).tokens.filter { $0.kind == .parameter }
    guard parameters.count == valueCount, parameters.allSatisfy({ $0.value == "?" }) else {
      throw DatabaseError(
        code: .range,
        message: "raw SQL in a query needs a value for each of its parameters, which are written "
          + "`?`: the statement has \(parameters.count) parameters, and \(valueCount) values were "
          + "given", sql: text)
    }
  }

  private mutating func append(_ part: ShapePart) throws {
    switch part {
    case .token(let token): append(token)
    case .words(let words): text += words
    case .alias(let name):
      noteAlias(name)
      try append(name: name)
    case .resultColumn(let name): try append(name: name)
    case .value: try appendValue()
    case .fragment(let sql, let count): try append(sql, count)
    case .table(let table): append(try find(table))
    case .tableName(let layout): try append(tableOf: layout)
    case .column(let table, let index): try append(try find(table), index)
    case .columnName(let layout, let index):
      text += try Self.layout(layout).columns[Int(index)].quotedName
    case .allColumns(let table):
      let table = try find(table)
      for index in table.layout.columns.indices {
        if index > 0 { text += ", " }
        try append(table, UInt16(truncatingIfNeeded: index))
      }
    case .openScope(let tables): try open(tables)
    case .closeScope:
      _ = scopes.popLast()
      _ = results.popLast()
    case .commonTableDefinition(let name, let layout):
      let columns = try Self.layout(layout).columns.map(\.quotedName).joined(separator: ", ")
      try append(name: name)
      text += "(\(columns))"
    case .checked(let layout, let index):
      guard try isChecked(layout, index) else { return }
      text += IntegerGuard.opening
      endOfCheck = IntegerGuard.closing
    case .checkedRows(let columns): try openCheck(ofRows: columns)
    case .endOfChecked:
      text += endOfCheck
      endOfCheck = ""
    }
  }

  private mutating func append(_ token: SQLToken) {
    if token == .orderBy, let last = results.indices.last { results[last].isOrdering = true }
    if literals != nil, token == .arrayValues { isInArray = true }
    if isInArray, token == .arrayValues || token == .open { return }
    if isInArray, token == .close {
      isInArray = false
      return
    }
    text += token.text.withUTF8Buffer { String(decoding: $0, as: UTF8.self) }
  }

  /// Appends a name that the user chose, quoted.
  private mutating func append(name: String) throws {
    guard !name.utf8.contains(0) else {
      throw QueryError("a name in SQL cannot contain U+0000: \(name.debugDescription)")
    }
    text += Identifier(name).quoted
  }

  /// Notes the alias of a selected expression. An alias is not noted if the expression is a column
  /// whose name is the alias.
  private mutating func noteAlias(_ name: String) {
    let column = "\(Identifier(name).quoted) AS "
    if text.hasSuffix("SELECT \(column)") || text.hasSuffix(", \(column)") { return }
    guard text.hasSuffix(" AS "), let last = results.indices.last else { return }
    results[last].aliases.insert(name.lowercasedASCII)
  }

  // MARK: Values

  private mutating func appendValue() throws {
    valueCount += 1
    guard let value = literals?.popFirst() else { return text += "?" }
    let literal =
      if case .array(let array) = value {
        try array.values.map { try $0.literal }.joined(separator: ", ")
      } else {
        try value.literal
      }
    // Two minus signs together would begin a comment.
    if literal.hasPrefix("-"), text.hasSuffix("-") { text += " " }
    text += literal
  }

  private mutating func append(_ sql: String, _ count: Int) throws {
    valueCount += count
    hasFragment = true
    guard let values = literals?.prefix(count) else { return text += sql }
    literals?.removeFirst(values.count)
    text += try SQL(text: sql, bindings: Array(values)).declaration
  }

  /// Whether the SQL checks the values that are assigned to a column. A value is checked if the
  /// column stores integers, and the table is not STRICT.
  private func isChecked(_ layout: UInt16, _ index: UInt16) throws -> Bool {
    guard let core else { return false }
    let layout = try Self.layout(layout)
    return layout.columns[Int(index)].storageClass == .integer && !core.isStrict(layout.tableName)
  }

  private mutating func openCheck(ofRows columns: [(layout: UInt16, index: UInt16)]) throws {
    let names = columns.indices.map { "c\($0)" }
    let terms = try zip(names, columns).map { name, column in
      try isChecked(column.layout, column.index) ? IntegerGuard.checked(name) : name
    }
    guard terms != names else { return }
    text += "WITH \"apus_rows\"(\(names.joined(separator: ", "))) AS ("
    // Without WHERE, SQLite would read the ON of a following ON CONFLICT as the ON of a join.
    endOfCheck = ") SELECT \(terms.joined(separator: ", ")) FROM \"apus_rows\" WHERE 1"
  }

  // MARK: Tables

  private mutating func append(_ table: Table) {
    if table.kind == .model || table.kind == .common { text += Identifier(table.name).quoted }
    if table.alias != nil || table.kind == .query { text += " AS " + table.qualifier }
  }

  private mutating func append(tableOf layout: UInt16) throws {
    if let table = scopes.last?.first, table.alias != nil {
      throw QueryError(
        "a trigger cannot write the table \(table.name), because the name means one of its rows; "
          + "write the statement in a trigger of another event, or give the table another name")
    }
    text += try Self.layout(layout).quotedTableName
  }

  private mutating func append(_ table: Table, _ index: UInt16) throws {
    let isRowID = index == ColumnID.rowIDIndex
    guard let name = isRowID ? table.layout.rowIDName : table.layout.columns[Int(index)].name else {
      throw QueryError(
        "\(table.name): columns are named rowid, _rowid_ and oid, which hide the rowid")
    }
    // If only one table is in scope, its columns need not be qualified.
    if table.kind == .row || scopes.count > 1 || scopes[0].count > 1
      || isHidden(name)
    {
      text += table.qualifier + "."
    }
    text += isRowID ? name : table.layout.columns[Int(index)].quotedName
  }

  /// Whether a column is in ORDER BY, and its name is also the alias of a selected expression.
  /// SQLite would then order by the expression instead of the column.
  private func isHidden(_ column: String) -> Bool {
    guard let last = results.last, last.isOrdering else { return false }
    return last.aliases.contains(column.lowercasedASCII)
  }

  private func find(_ table: ShapeTable) throws -> Table {
    guard case .place(let scope, let index) = table, scope < scopes.count,
      index < scopes[scope].count
    else { throw QueryError("a table is used, but it is not in FROM or a join") }
    return scopes[scope][index]
  }

  private mutating func open(_ opened: [ShapeScopeTable]) throws {
    // The first table with a name needs no alias. Later tables with the same name, in this query or
    // in an inner query, get an alias.
    var seen = Set(scopes.joined().map { ($0.alias ?? $0.name).lowercasedASCII })
    let tables = try opened.map { table in
      let layout = try Self.layout(table.layout)
      return Table(kind: table.kind, layout: layout, name: table.name ?? layout.tableName)
    }
    var used = seen.union(tables.map(\.name.lowercasedASCII))
    results.append((aliases: [], isOrdering: false))
    scopes.append(
      tables.map { table in
        guard !seen.insert(table.name.lowercasedASCII).inserted else { return table }
        var aliased = table
        var number = 2
        while !used.insert("\(table.name)_\(number)".lowercasedASCII).inserted { number += 1 }
        aliased.alias = "\(table.name)_\(number)"
        return aliased
      })
  }

  private static func layout(_ number: UInt16) throws -> ModelLayout {
    guard let layout = LayoutRegistry.shared.layout(number: number) else {
      throw QueryError("the model is not known")
    }
    return layout
  }
}
