import SQLCore

extension Shape {
  /// Returns the SQL of the shape.
  func text(writingLiterals: Bool = false) throws -> String {
    try bytes.withUnsafeBytes { bytes in
      try ShapeText(of: bytes, writing: writingLiterals ? values : nil).text
    }
  }
}

/// The SQL of a shape.
///
/// Columns of a SELECT over one table are not qualified; those of a join, and of a query inside
/// another, are. A table that occurs twice gets an alias.
struct ShapeText {
  private(set) var text = ""
  /// The table of the integer columns to which expressions are assigned; nil if there are none.
  private(set) var checkedTable: String?
  /// The tables in scope. The tables of each inner scope follow a nil.
  private var tables: [Table?] = []
  /// The positions of the first tables of the scopes.
  private var scopes: [Int] = []
  /// The common tables in scope. The tables of each WITH follow a nil.
  private var commonTables: [String?] = []
  /// The values that are written as literals, because declarations have no parameters; nil for a
  /// statement.
  private var literals: ArraySlice<BoundValue>?
  /// Whether the integers that are assigned to columns are checked.
  private let checksIntegers: Bool
  /// The end of the check that was begun.
  private var endOfCheck: String?
  /// Whether a list of values is being written as literals, without the subquery and parentheses
  /// that would contain its parameter.
  private var isInArray = false

  private struct Table {
    let kind: ScopeKind
    let layout: ModelLayout
    let name: String
    var alias: String?

    /// Whether it is a row, which is not quoted and always written before a column.
    var isRow: Bool { kind == .excluded || kind == .old || kind == .new }
    var qualifier: String { isRow ? name : Identifier(alias ?? name).quoted }
  }

  init(
    of bytes: UnsafeRawBufferPointer, writing literals: [BoundValue]? = nil,
    checkingIntegers: Bool = false
  ) throws {
    self.literals = literals.map { $0[...] }
    checksIntegers = checkingIntegers
    var reader = ShapeReader(bytes)
    while let part = reader.next() { try append(part) }
  }

  /// Returns the SQL of a statement for a connection, whose tables may need checks.
  static func statement(
    _ shape: UnsafeRawBufferPointer, on core: ConnectionCore
  ) throws -> String {
    let plain = try ShapeText(of: shape)
    guard let table = plain.checkedTable, !core.isStrict(table) else { return plain.text }
    return try ShapeText(of: shape, checkingIntegers: true).text
  }

  private mutating func append(_ part: ShapePart) throws {
    switch part {
    case .token(let token): append(token)
    case .words(let words): text += words
    case .alias(let name), .resultColumn(let name): try append(name: name)
    case .value: try appendValue()
    case .fragment(let sql, let count): try append(sql, count)
    case .table(let table): try append(table)
    case .tableName(let layout): try append(tableOf: layout)
    case .column(let table, let index): try append(try find(table), index)
    case .columnName(let layout, let index):
      text += try Self.layout(layout).columns[Int(index)].quotedName
    case .allColumns(let table): try appendAllColumns(of: try find(table))
    case .openScope(let tables): try open(tables)
    case .closeScope: closeScope()
    case .openCommonTables(let names): try open(names)
    case .closeCommonTables: while let last = commonTables.popLast(), last != nil {}
    case .commonTableDefinition(let name, let layout):
      let columns = try Self.layout(layout).columns.map(\.quotedName).joined(separator: ", ")
      try append(name: name)
      text += "(\(columns))"
    case .checked(let layout, let index): try openCheck(of: layout, index)
    case .checkedRows(let columns): try openCheck(ofRows: columns)
    case .endOfChecked:
      text += endOfCheck ?? ""
      endOfCheck = nil
    }
  }

  private mutating func append(_ token: SQLToken) {
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

  // MARK: Values

  private mutating func appendValue() throws {
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
    guard let values = literals?.prefix(count) else { return text += sql }
    literals?.removeFirst(values.count)
    text += try SQL(text: sql, bindings: Array(values)).declaration
  }

  // MARK: Tables

  private mutating func append(_ table: ShapeTable) throws {
    let table = try find(table)
    if table.kind == .model { try checkCommonTables(named: table.name) }
    if table.kind == .model || table.kind == .common { text += Identifier(table.name).quoted }
    if table.alias != nil || table.kind == .query { text += " AS " + table.qualifier }
  }

  private mutating func append(tableOf layout: UInt16) throws {
    if let scope = scopes.last, let table = tables[scope], table.alias != nil {
      throw QueryError(
        "a trigger cannot write the table \(table.name), because the name means one of its rows; "
          + "write the statement in a trigger of another event, or give the table another name")
    }
    text += try Self.layout(layout).quotedTableName
  }

  private mutating func append(_ table: Table, _ index: UInt16) throws {
    // A single table of a single scope needs no name before its columns.
    if table.isRow || scopes.count > 1 || tables.count > 1 { text += table.qualifier + "." }
    text += table.layout.columns[Int(index)].quotedName
  }

  private mutating func appendAllColumns(of table: Table) throws {
    for index in table.layout.columns.indices {
      if index > 0 { text += ", " }
      try append(table, UInt16(truncatingIfNeeded: index))
    }
  }

  private func find(_ table: ShapeTable) throws -> Table {
    guard case .place(let place) = table, place < tables.count, let found = tables[place] else {
      throw QueryError("a table is used, but it is not in FROM or a join")
    }
    return found
  }

  private static func layout(_ number: UInt16) throws -> ModelLayout {
    guard let layout = LayoutRegistry.shared.layout(number: number) else {
      throw QueryError("the model is not known")
    }
    return layout
  }

  // MARK: Scopes

  private mutating func open(_ opened: [ShapeScopeTable]) throws {
    let taken = tables.compactMap { $0 }.map { ($0.alias ?? $0.name).lowercasedASCII }
    // A SELECT without FROM has no table.
    let added = try opened.filter { $0.layout != TableID.none.layout }.map { table in
      let layout = try Self.layout(table.layout)
      let name =
        switch table.kind {
        case .model, .query: layout.tableName
        case .function: table.function
        case .common: try commonTable(table.commonTable)
        case .excluded: "excluded"
        case .old: "OLD"
        case .new: "NEW"
        }
      return Table(kind: table.kind, layout: layout, name: name)
    }
    var used = Set(taken + added.map(\.name.lowercasedASCII))
    // A name that occurs only once, here and in the enclosing queries, needs no alias.
    var seen = Set(taken)
    if !scopes.isEmpty { tables.append(nil) }
    scopes.append(tables.count)
    for var table in added {
      if !seen.insert(table.name.lowercasedASCII).inserted {
        var number = 2
        while !used.insert("\(table.name)_\(number)".lowercasedASCII).inserted { number += 1 }
        table.alias = "\(table.name)_\(number)"
      }
      tables.append(table)
    }
    if added.isEmpty { tables.append(nil) }
  }

  private mutating func closeScope() {
    guard let start = scopes.popLast() else { return }
    // The nil before an inner scope goes, too.
    tables.removeSubrange((scopes.isEmpty ? start : start - 1)...)
  }

  private mutating func open(_ names: [String]) throws {
    var known = Set(commonTables.compactMap { $0?.lowercasedASCII })
    for name in names where !known.insert(name.lowercasedASCII).inserted {
      throw QueryError("WITH \(name): there are two common tables of that name")
    }
    commonTables.append(nil)
    commonTables += names
  }

  private func commonTable(_ place: Int) throws -> String {
    guard place < commonTables.count, let name = commonTables[place] else {
      throw QueryError("a common table is in FROM or a join, but the query has no With(…) for it")
    }
    return name
  }

  /// Throws if a common table hides a model's table of the same name.
  private func checkCommonTables(named name: String) throws {
    guard commonTables.contains(where: { $0?.isSame(as: name) ?? false }) else { return }
    throw QueryError(
      "WITH \(name): the query also uses a table of that name; rename the common table")
  }

  // MARK: Checks of integers

  /// Whether the values of a column are integers, which are checked.
  private mutating func isChecked(_ layout: UInt16, _ index: UInt16) throws -> Bool {
    guard layout != ShapeMark.noColumn.layout else { return false }
    let layout = try Self.layout(layout)
    guard layout.columns[Int(index)].storageClass == .integer else { return false }
    checkedTable = layout.tableName
    return checksIntegers
  }

  private mutating func openCheck(of layout: UInt16, _ index: UInt16) throws {
    guard try isChecked(layout, index) else { return }
    text += IntegerGuard.opening
    endOfCheck = IntegerGuard.closing
  }

  private mutating func openCheck(ofRows columns: [(layout: UInt16, index: UInt16)]) throws {
    var terms: [String] = []
    var isAnyChecked = false
    for (number, column) in columns.enumerated() {
      let isChecked = try isChecked(column.layout, column.index)
      if isChecked { isAnyChecked = true }
      terms.append(isChecked ? IntegerGuard.checked("c\(number)") : "c\(number)")
    }
    guard isAnyChecked else { return }
    let names = columns.indices.map { "c\($0)" }.joined(separator: ", ")
    text += "WITH \"apus_rows\"(\(names)) AS ("
    // Without WHERE, a following ON CONFLICT would be the condition of a join.
    endOfCheck = ") SELECT \(terms.joined(separator: ", ")) FROM \"apus_rows\" WHERE 1"
  }
}
