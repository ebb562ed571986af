import SQLCore

/// The existing schema of a database, read by one statement. Definitions are parsed on demand.
struct ExistingSchema {
  struct Entry: Sendable {
    enum Kind: String {
      case table, index, trigger, view
    }

    let kind: Kind
    let name: String
    /// The table to which an index or a trigger belongs.
    let table: String
    /// nil for an index that SQLite created for a constraint.
    let sql: String?
  }

  private(set) var entries: [Entry] = []
  /// The renamings that run before all other steps.
  var renames = Renames()
  private var positions: [String: Int] = [:]
  /// The positions of indexes and triggers by the table to which they belong, folded.
  private var positionsByTable: [String: [Int]] = [:]

  init(of connection: Connection) throws {
    try connection.forEach("SELECT type, name, tbl_name, sql FROM sqlite_schema") { row in
      if let entry = try Entry(row) { add(entry) }
    }
  }

  init(entries: [Entry]) {
    for entry in entries { add(entry) }
  }

  private mutating func add(_ entry: Entry) {
    // Tables, views and indexes share one space of names; triggers have their own.
    if entry.kind != .trigger { positions[entry.name.lowercasedASCII] = entries.count }
    if entry.kind == .index || entry.kind == .trigger {
      positionsByTable[entry.table.lowercasedASCII, default: []].append(entries.count)
    }
    entries.append(entry)
  }

  /// Returns the table, view or index with this name, ignoring case.
  func entry(_ name: String) -> Entry? {
    positions[name.lowercasedASCII].map { entries[$0] }
  }

  /// Returns the table or view with this name, ignoring case.
  func relation(_ name: String) -> Entry? {
    guard let entry = entry(name), entry.kind == .table || entry.kind == .view else { return nil }
    return entry
  }

  func table(_ name: String) throws -> ExistingTable? {
    guard let entry = entry(name), entry.kind == .table, let sql = entry.sql else { return nil }
    var table = try TableParser.parse(sql)
    table.name = entry.name
    return table
  }

  func indexes(of table: String) -> [ExistingIndex] {
    dependents(of: table, .index).compactMap { entry in
      entry.sql.map { ExistingIndex(name: entry.name, sql: $0) }
    }
  }

  func triggers(of table: String) -> [Entry] { dependents(of: table, .trigger) }

  private func dependents(of table: String, _ kind: Entry.Kind) -> [Entry] {
    let positions = positionsByTable[table.lowercasedASCII] ?? []
    return positions.map { entries[$0] }.filter { $0.kind == kind }
  }

  /// Returns the definitions of a table's indexes, except those that SQLite created for
  /// constraints.
  func indexDefinitions(of table: String) -> [String] {
    dependents(of: table, .index).compactMap(\.sql)
  }

  /// Returns the views and triggers, of any table, whose text names both a table and a column.
  func dependents(naming table: String, _ column: String) -> [Entry] {
    let table = table.lowercasedASCII
    let column = column.lowercasedASCII
    return entries.filter { entry in
      guard entry.kind == .view || entry.kind == .trigger, let sql = entry.sql else { return false }
      return sql.mentions(table, orBeforePoint: true) && sql.mentions(column)
    }
  }
}

extension ExistingSchema.Entry {
  /// Reads the type, the name, the table and the SQL from a row of `sqlite_schema`; nil for a type
  /// that SQLite may add one day.
  init?(_ row: borrowing StatementRow) throws {
    guard let kind = Kind(rawValue: try row.get(at: 0)) else { return nil }
    self.init(
      kind: kind, name: try row.get(at: 1), table: try row.get(at: 2), sql: try row.get(at: 3))
  }
}

/// An existing index, as its definition describes it.
struct ExistingIndex {
  let name: String
  let sql: String
  let isUnique: Bool
  /// The indexed terms and the WHERE clause as normalised tokens, for comparison.
  var terms: [String]
  var condition: [String]

  init(name: String, sql: String) {
    self.name = name
    self.sql = sql
    let text = SQLTokens(sql)
    isUnique = text.tokens.dropFirst().first?.isWord("unique") ?? false
    var depth = 0
    var open: Int?
    var close = text.tokens.endIndex
    for (index, token) in text.tokens.enumerated() {
      if token.isSign("(") {
        depth += 1
        open = open ?? index
      } else if token.isSign(")") {
        depth -= 1
        if depth == 0 {
          close = index
          break
        }
      }
    }
    terms = text.tokens[min((open ?? -1) + 1, close)..<close].map(\.normal)
    let condition = text.tokens[close...].dropFirst()
    self.condition = condition.first?.isWord("where") == true ? condition.dropFirst().normal : []
    // ASC is the default, so it is left out of the comparison.
    var plain: [String] = []
    for (index, term) in terms.enumerated() {
      let isLast = index + 1 == terms.count || terms[index + 1] == ","
      if !(term == "asc" && isLast) { plain.append(term) }
    }
    terms = plain
  }

  /// The columns of the index; nil if it has expressions, collations or directions.
  var plainColumns: [String]? {
    let parts = terms.split(separator: ",")
    return parts.allSatisfy { $0.count == 1 } ? parts.map { $0[$0.startIndex] } : nil
  }

  /// Whether the index names a column, which is given in lower case.
  func mentions(_ column: String) -> Bool { terms.contains(column) || condition.contains(column) }

  mutating func rename(_ column: String, to name: String) {
    let folded = column.lowercasedASCII
    terms = terms.map { $0 == folded ? name.lowercasedASCII : $0 }
    condition = condition.map { $0 == folded ? name.lowercasedASCII : $0 }
  }
}
