import SQLCore

/// The existing schema of a database, read by one statement. A definition is parsed when it is
/// needed.
package struct ExistingSchema {
  package struct Entry: Sendable {
    package enum Kind: String {
      case table, index, trigger, view
    }

    package let kind: Kind
    package let name: String
    /// For an index or trigger, the name of its table or view; otherwise the entry's own name.
    package let table: String
    /// The definition; nil for an index that SQLite created for a constraint.
    package let sql: String?

    package init(kind: Kind, name: String, table: String, sql: String?) {
      self.kind = kind
      self.name = name
      self.table = table
      self.sql = sql
    }
  }

  package private(set) var entries: [Entry] = []
  /// The declared renamings, which the migration runs before all other steps.
  package var renames = Renames()
  private var positions: [String: Int] = [:]
  /// The offsets in `entries` of the indexes and triggers of each table. The key is the name of the
  /// table in lower case.
  private var positionsByTable: [String: [Int]] = [:]

  package init(of connection: Connection) throws {
    try connection.forEach("SELECT type, name, tbl_name, sql FROM sqlite_schema") { row in
      if let entry = try Entry(row) { add(entry) }
    }
  }

  package init(entries: [Entry]) {
    for entry in entries { add(entry) }
  }

  private mutating func add(_ entry: Entry) {
    // Tables, views and indexes share one namespace; triggers have their own.
    if entry.kind != .trigger { positions[entry.name.lowercasedASCII] = entries.count }
    if entry.kind == .index || entry.kind == .trigger {
      positionsByTable[entry.table.lowercasedASCII, default: []].append(entries.count)
    }
    entries.append(entry)
  }

  /// Returns the table, view or index with this name, ignoring case.
  package func entry(_ name: String) -> Entry? {
    positions[name.lowercasedASCII].map { entries[$0] }
  }

  /// Returns the table or view with this name, ignoring case.
  package func relation(_ name: String) -> Entry? {
    guard let entry = entry(name), entry.kind == .table || entry.kind == .view else { return nil }
    return entry
  }

  package func table(_ name: String) throws -> ExistingTable? {
    guard let entry = entry(name), entry.kind == .table, let sql = entry.sql else { return nil }
    var table = try TableParser.parse(sql)
    table.name = entry.name
    return table
  }

  package func indexes(of table: String) -> [ExistingIndex] {
    dependents(of: table, .index).compactMap { entry in
      entry.sql.map { ExistingIndex(name: entry.name, sql: $0) }
    }
  }

  package func triggers(of table: String) -> [Entry] { dependents(of: table, .trigger) }

  package func hasTrigger(_ name: String) -> Bool { trigger(name) != nil }

  /// Returns the trigger with that name, ignoring case.
  package func trigger(_ name: String) -> Entry? {
    entries.first { $0.kind == .trigger && $0.name.isSame(as: name) }
  }

  private func dependents(of table: String, _ kind: Entry.Kind) -> [Entry] {
    let positions = positionsByTable[table.lowercasedASCII] ?? []
    return positions.map { entries[$0] }.filter { $0.kind == kind }
  }

  /// Returns the definitions of a table's indexes, except indexes that SQLite created for
  /// constraints.
  func indexDefinitions(of table: String) -> [String] {
    dependents(of: table, .index).compactMap(\.sql)
  }

  /// Returns the views and triggers, of any table, whose SQL names both the table and the column.
  package func dependents(naming table: String, _ column: String) -> [Entry] {
    let table = table.lowercasedASCII
    let column = column.lowercasedASCII
    return entries.filter { entry in
      guard entry.kind == .view || entry.kind == .trigger, let sql = entry.sql else { return false }
      return sql.mentions(table, orBeforePoint: true) && sql.mentions(column)
    }
  }
}

extension ExistingSchema.Entry {
  /// Reads the type, the name, the table and the SQL from a row of `sqlite_schema`. Returns nil if
  /// the type is unknown: a later version of SQLite may add types.
  init?(_ row: borrowing StatementRow) throws {
    guard let kind = Kind(rawValue: try row.get(at: 0)) else { return nil }
    self.init(
      kind: kind, name: try row.get(at: 1), table: try row.get(at: 2), sql: try row.get(at: 3))
  }
}

// MARK: With the names after all renamings

extension ExistingSchema {
  /// Returns the table that has this name after all renamings. Its columns and foreign keys also
  /// have their names after the renamings.
  package func renamedTable(_ name: String) throws -> ExistingTable? {
    guard let former = renames.formerName(ofTable: name), var table = try table(former) else {
      return nil
    }
    for column in renames.renamings(ofFormer: former) { table.rename(column.from, to: column.name) }
    table.name = renames.name(ofTable: table.name)
    table.follow(renames)
    return table
  }

  /// A foreign key of a table.
  package struct Reference {
    /// The name, after all renamings, of the table that has the foreign key.
    package let table: String
    package let key: ExistingTable.ForeignKey
  }

  /// Returns the foreign keys that refer to a table. All names are the names after all renamings.
  package func references(to target: String) -> [Reference] {
    entries.filter { $0.kind == .table }.flatMap { entry -> [Reference] in
      let name = renames.name(ofTable: entry.name)
      // The definition of a virtual table cannot be parsed, but such a table has no foreign keys.
      guard let table = try? renamedTable(name) else { return [] }
      return table.foreignKeys.filter { $0.target.isSame(as: target) }
        .map { Reference(table: name, key: $0) }
    }
  }
}
