import SQLCore

/// The sink that writes a query's SQL.
///
/// Columns of a SELECT over one table are not qualified; those of a join, and of a query inside
/// another, are. A table that occurs twice gets an alias.
struct TextSink: QuerySink {
  private(set) var text = ""
  private(set) var bindings: [BoundValue] = []
  private var scopes: [Scope] = []
  private var commonTables: [[CommonTableName]] = []
  /// Whether values are written as literals, because declarations have no parameters.
  private let writesLiterals: Bool
  /// Whether the integers that are assigned to columns are checked.
  private let checksIntegers: Bool
  /// The table of the integer columns to which expressions are assigned; nil if there are none.
  private(set) var checkedTable: String?
  /// Whether a list of values is being written as literals, without the subquery and parentheses
  /// that would contain its parameter.
  private var isInArray = false

  init(writingLiterals: Bool = false, checkingIntegers: Bool = false) {
    writesLiterals = writingLiterals
    checksIntegers = checkingIntegers
  }

  private struct Scope {
    var tables: [Table]
    let windows: [String]
    /// Whether a query in the FROM clause of this scope is being written, which cannot see its
    /// tables.
    var isHidden = false
  }

  /// The kind of a table in FROM. A query there always needs its alias.
  private enum Kind {
    case model
    case query
    case common
    case function
    /// `excluded`, `OLD` or `NEW`, which are not quoted and always written before a column.
    case row
  }

  private struct Table {
    let table: TableID
    let name: String
    let alias: String?
    let kind: Kind
    var qualifier: String { kind == .row ? name : Identifier(alias ?? name).quoted }
  }

  mutating func token(_ token: SQLToken) {
    if writesLiterals, token == .arrayValues { isInArray = true }
    if isInArray, token == .arrayValues || token == .open { return }
    if isInArray, token == .close {
      isInArray = false
      return
    }
    text += token.text.withUTF8Buffer { String(decoding: $0, as: UTF8.self) }
  }

  mutating func table(_ table: TableID) throws {
    let scoped = try find(table)
    if scoped.kind == .model {
      try checkCommonTables(named: scoped.name)
      text += Identifier(scoped.name).quoted
    }
    if scoped.alias != nil || scoped.kind == .query { text += " AS " + scoped.qualifier }
  }

  mutating func tableName(_ table: TableID) throws {
    if let name = scopes.last?.tables.first(where: { $0.table == table && $0.alias != nil })?.name {
      throw QueryError(
        "a trigger cannot write the table \(name), because the name means one of its rows; write "
          + "the statement in a trigger of another event, or give the table another name")
    }
    text += try Self.layout(of: table).quotedTableName
  }

  mutating func column(_ column: ColumnID) throws {
    let scoped = try find(column.table)
    if scoped.kind == .row || scopes.count > 1 || scopes[0].tables.count > 1 {
      text += scoped.qualifier + "."
    }
    try columnName(column)
  }

  mutating func columnName(_ column: ColumnID) throws {
    text += try Self.layout(of: column.table).columns[Int(column.index)].quotedName
  }

  mutating func allColumns(of table: TableID) throws {
    let layout = try Self.layout(of: table)
    for index in layout.columns.indices {
      if index > 0 { text += ", " }
      try column(ColumnID(table: table, index: UInt16(truncatingIfNeeded: index)))
    }
  }

  mutating func function(_ name: String) { text += name }

  mutating func alias(_ name: String) throws { try append(name: name) }

  mutating func resultColumn(_ name: String) throws { try append(name: name) }

  mutating func windowName(_ name: String) throws {
    guard scopes.last?.windows.contains(name) ?? false else {
      throw QueryError("OVER \(name): the query has no NamedWindow of that name")
    }
    try append(name: name)
  }

  /// Appends a name that the user chose, quoted.
  private mutating func append(name: String) throws {
    guard !name.utf8.contains(0) else {
      throw QueryError("a name in SQL cannot contain U+0000: \(name.debugDescription)")
    }
    text += Identifier(name).quoted
  }

  mutating func value(_ value: BoundValue) throws {
    guard !writesLiterals else {
      let literal = try Self.literal(value)
      // Two minus signs together would begin a comment.
      if literal.hasPrefix("-"), text.hasSuffix("-") { text += " " }
      return text += literal
    }
    text += "?"
    bindings.append(value)
  }

  mutating func checksInteger(_ column: ColumnID) throws -> Bool {
    let layout = try Self.layout(of: column.table)
    guard layout.columns[Int(column.index)].storageClass == .integer else { return false }
    checkedTable = layout.tableName
    return checksIntegers
  }

  mutating func fragment(_ sql: SQL) throws {
    guard !writesLiterals else { return text += try sql.declaration }
    text += sql.text
    bindings += sql.bindings
  }

  private static func literal(_ value: BoundValue) throws -> String {
    guard case .array(let array) = value else { return try value.literal }
    return try array.values.map { try $0.literal }.joined(separator: ", ")
  }

  /// Brings the rows of a trigger into scope.
  mutating func openRows(_ rows: [(table: TableID, name: String)]) {
    let tables = rows.map { Table(table: $0.table, name: $0.name, alias: nil, kind: .row) }
    scopes.append(Scope(tables: tables, windows: []))
  }

  mutating func openScope(
    _ from: TableID, _ joins: [SelectStatement.Join], _ extras: SelectExtras?
  ) throws {
    let tables = try ((from.isNone ? [] : [from]) + joins.map(\.table)).map { table in
      let name = try Self.layout(of: table).tableName
      switch extras?.source(of: table) {
      case nil: return (table, name, Kind.model)
      case .nested: return (table, name, .query)
      case .common(let common): return (table, common.name, .common)
      case .function(let name, _): return (table, name, .function)
      case .excluded: return (table, "excluded", .row)
      }
    }
    try open(tables, windows: extras?.content.windows.map(\.name) ?? [])
  }

  private mutating func open(
    _ tables: [(table: TableID, name: String, kind: Kind)], windows: [String]
  ) throws {
    let around = scopes.filter { !$0.isHidden }.flatMap(\.tables)
    for table in tables where around.contains(where: { $0.table == table.table }) {
      throw QueryError(
        "a query over \(table.name) contains itself; write the inner query separately, so that "
          + "each of the two has a table of its own")
    }
    let taken = scopes.flatMap(\.tables).map { ($0.alias ?? $0.name).lowercasedASCII }
    var used = Set(taken + tables.map(\.name.lowercasedASCII))
    // A name that occurs only once, here and in the enclosing queries, needs no alias.
    var seen = Set(taken)
    let scoped = tables.map { table, name, kind in
      var alias: String?
      if !seen.insert(name.lowercasedASCII).inserted {
        var number = 2
        while !used.insert("\(name)_\(number)".lowercasedASCII).inserted { number += 1 }
        alias = "\(name)_\(number)"
      }
      return Table(table: table, name: name, alias: alias, kind: kind)
    }
    scopes.append(Scope(tables: scoped, windows: windows))
  }

  mutating func closeScope() { scopes.removeLast() }

  mutating func hideScope() { scopes[scopes.count - 1].isHidden = true }

  mutating func showScope() { scopes[scopes.count - 1].isHidden = false }

  mutating func openCommonTables(_ tables: [CommonTableNode]) throws {
    var names = Set(commonTables.joined().map(\.name.lowercasedASCII))
    for table in tables where !names.insert(table.name.name.lowercasedASCII).inserted {
      throw QueryError("WITH \(table.name.name): there are two common tables of that name")
    }
    commonTables.append(tables.map(\.name))
  }

  mutating func closeCommonTables() { commonTables.removeLast() }

  mutating func commonTableDefinition(_ table: CommonTableNode) throws {
    guard let layout = LayoutRegistry.shared.layout(number: table.layout) else {
      throw QueryError("the row type of the common table \(table.name.name) is not known")
    }
    let columns = layout.columns.map(\.quotedName).joined(separator: ", ")
    try append(name: table.name.name)
    text += "(\(columns))"
  }

  mutating func commonTable(_ table: CommonTableName) throws {
    guard commonTables.joined().contains(table) else {
      throw QueryError(
        "the common table \(table.name) is in FROM or a join, but the query has no With(…) for it")
    }
    text += Identifier(table.name).quoted
  }

  /// Throws if a common table hides a model's table of the same name.
  private func checkCommonTables(named name: String) throws {
    guard commonTables.joined().contains(where: { $0.name.isSame(as: name) }) else { return }
    throw QueryError(
      "WITH \(name): the query also uses a table of that name; rename the common table")
  }

  private func find(_ table: TableID) throws -> Table {
    for scope in scopes.reversed() where !scope.isHidden {
      if let found = scope.tables.first(where: { $0.table == table }) { return found }
    }
    let name = try Self.layout(of: table).tableName
    throw QueryError("the table \(name) is used, but it is not in FROM or a join")
  }

  private static func layout(of table: TableID) throws -> ModelLayout {
    guard let layout = LayoutRegistry.shared.layout(number: table.layout) else {
      throw QueryError("the model is not known")
    }
    return layout
  }
}
