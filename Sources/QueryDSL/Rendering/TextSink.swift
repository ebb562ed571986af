import SQLCore

/// Writes a query's SQL.
///
/// Columns of a SELECT over one table stand bare; those of a join, and of a query inside another,
/// are qualified. A table that is there twice gets an alias.
struct TextSink: QuerySink {
  private(set) var text = ""
  private(set) var bindings: [BoundValue] = []
  private var scopes: [[ScopedTable]] = []
  /// A declaration has no parameters: values stand in its text.
  private let writesLiterals: Bool
  /// Where a list of values is written as literals, its query and parentheses are left out.
  private var isInArray = false

  init(writingLiterals: Bool = false) {
    writesLiterals = writingLiterals
  }

  private struct ScopedTable {
    let table: TableID
    let name: String
    let alias: String?
    var qualifier: String { Identifier(alias ?? name).quoted }
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
    text += Identifier(scoped.name).quoted
    if let alias = scoped.alias { text += " AS " + Identifier(alias).quoted }
  }

  mutating func tableName(_ table: TableID) throws {
    text += try Self.layout(of: table).quotedTableName
  }

  mutating func column(_ column: ColumnID) throws {
    let scoped = try find(column.table)
    if scopes.count > 1 || scopes[0].count > 1 { text += scoped.qualifier + "." }
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

  mutating func alias(_ name: String) { text += Identifier(name).quoted }

  mutating func value(_ value: BoundValue) throws {
    guard !writesLiterals else { return text += try Self.literal(value) }
    text += "?"
    bindings.append(value)
  }

  mutating func fragment(_ sql: SQL) throws {
    guard !writesLiterals else { return text += try sql.declaration }
    text += sql.text
    bindings += sql.bindings
  }

  private static func literal(_ value: BoundValue) throws -> String {
    guard case .array(let array) = value else { return try value.databaseValue.description }
    return array.values.map(\.description).joined(separator: ", ")
  }

  mutating func openScope(_ tables: @autoclosure () -> [TableID]) throws {
    let tables = tables()
    let names = try tables.map { try Self.layout(of: $0).tableName }
    var used = Set(names.map(\.lowercasedASCII))
    for scope in scopes {
      for table in scope { used.insert((table.alias ?? table.name).lowercasedASCII) }
    }
    // A name that stands once, here and in the queries around, needs no alias.
    var seen = Set(scopes.joined().map { ($0.alias ?? $0.name).lowercasedASCII })
    scopes.append(
      zip(tables, names).map { table, name in
        guard !seen.insert(name.lowercasedASCII).inserted else {
          return ScopedTable(table: table, name: name, alias: nil)
        }
        var number = 2
        while !used.insert("\(name)_\(number)".lowercasedASCII).inserted { number += 1 }
        return ScopedTable(table: table, name: name, alias: "\(name)_\(number)")
      })
  }

  mutating func closeScope() { scopes.removeLast() }

  private func find(_ table: TableID) throws -> ScopedTable {
    for scope in scopes.reversed() {
      if let found = scope.first(where: { $0.table == table }) { return found }
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

/// A query that cannot be SQL, found before any SQL runs.
public struct QueryError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, with the table or clause that it is about.
  public let message: String

  package init(_ message: String) {
    self.message = message
  }

  /// The message.
  public var description: String { message }
}
