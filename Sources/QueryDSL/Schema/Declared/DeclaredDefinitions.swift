import SQLCore

/// The declared SQL of tables, indexes, views, full-text indexes, vector indexes and triggers. If a
/// file matches the declarations, its schema has exactly this SQL.
package struct DeclaredDefinitions: Sendable {
  /// The definitions in the order of the models. First comes each table with its indexes, then the
  /// views, then the tables of full-text and vector indexes. The triggers follow: those of the
  /// models, those of the change log and the vector indexes, and those of the full-text indexes.
  private let entries: [ExistingSchema.Entry]
  /// For each index with a declared name, its SQL without the comment `/* Apus */`. Another program
  /// or an earlier version of Apus may have written the index in this form. The keys are the
  /// indexes' offsets in `entries`.
  private let unmarked: [Int: String]
  /// The offset in `entries` of each entry that is not a trigger, by its name.
  private let indices: [String: Int]
  /// The offset in `entries` of each trigger, by its name. A trigger may have the same name as a
  /// table.
  private let triggerIndices: [String: Int]
  /// The range in `entries` of each model's table and its CREATE INDEX entries, by the table's name
  /// in lower case.
  private let tables: [String: Range<Int>]
  /// The names of the views, in lower case.
  private let views: Set<String>
  /// Whether `entries` has every declared table. A table whose declaration is invalid is left out.
  let areComplete: Bool

  init(
    tables declared: [TableDefinition], views: [ViewDefinition], owned: [any OwnedObject]
  ) {
    var entries: [ExistingSchema.Entry] = []
    var unmarked: [Int: String] = [:]
    var tables: [String: Range<Int>] = [:]
    for table in declared where table.problems.isEmpty {
      let start = entries.count
      entries.append(
        ExistingSchema.Entry(
          kind: .table, name: table.name, table: table.name, sql: table.createTable))
      for index in table.indexes {
        let name = table.name(of: index)
        let sql = table.createIndex(index, named: name)
        // The same index may be declared twice, with a name and without.
        guard !entries[start...].contains(where: { $0.sql == sql }) else { continue }
        if index.givenName != nil {
          unmarked[entries.count] = table.createIndex(index, named: name, isMarked: false)
        }
        entries.append(
          ExistingSchema.Entry(kind: .index, name: name, table: table.name, sql: sql))
      }
      tables[table.name.lowercasedASCII] = start..<entries.count
    }
    let firstView = entries.count
    for view in views {
      let sql = view.createView
      // Two models may declare the same view.
      guard !entries[firstView...].contains(where: { $0.sql == sql }) else { continue }
      entries.append(
        ExistingSchema.Entry(kind: .view, name: view.name, table: view.name, sql: sql))
    }
    let definitions = owned.flatMap(\.definitions)
    entries += definitions.filter { $0.kind == .table }
    let firstTrigger = entries.count
    entries += definitions.filter { $0.kind == .trigger }
    self.entries = entries
    self.unmarked = unmarked
    self.tables = tables
    let places = entries.enumerated().map { ($1.name, $0) }
    indices = Dictionary(places[..<firstTrigger]) { first, _ in first }
    triggerIndices = Dictionary(places[firstTrigger...]) { first, _ in first }
    self.views = Set(views.map(\.name.lowercasedASCII))
    areComplete = declared.allSatisfy(\.problems.isEmpty)
  }

  var count: Int { entries.count }

  subscript(index: Int) -> ExistingSchema.Entry { entries[index] }

  /// Returns whether an existing table and its indexes are exactly as declared, and the table has
  /// no trigger of another program.
  package func isExact(_ table: TableDefinition, in schema: ExistingSchema) -> Bool {
    guard let place = tables[table.name.lowercasedASCII], let entry = schema.entry(table.name),
      entry.kind == .table, entry.sql == entries[place.lowerBound].sql
    else { return false }
    // If the table has a trigger of another program, the migration needs a plan. The plan lists the
    // trigger as kept, or drops it.
    guard schema.triggers(of: table.name).allSatisfy(\.isOwnTrigger) else { return false }
    let declared = entries[place.dropFirst()]
    let found = schema.indexDefinitions(of: table.name)
    return found.count == declared.count
      && found.allSatisfy { sql in
        declared.indices.contains { declared[$0].sql == sql || unmarked[$0] == sql }
      }
  }

  /// Returns the offset in `entries` of the definition that equals a row of `sqlite_schema`; nil if
  /// no definition equals it.
  ///
  /// - Parameter next: the offset that is tried first.
  func index(of row: borrowing StatementRow, expecting next: Int) throws -> Int? {
    if next < entries.count, isDefinition(row, next) { return next }
    let name = try row.get(String.self, at: 1)
    return [indices[name], triggerIndices[name]].compactMap(\.self)
      .first { isDefinition(row, $0) }
  }

  private func isDefinition(_ row: borrowing StatementRow, _ index: Int) -> Bool {
    row.isDefinition(entries[index], or: unmarked[index])
  }

  /// Returns whether an existing object is an index or a trigger of a declared table, or a trigger
  /// of a declared view. An index that SQLite created for a constraint does not count.
  func areJoined(by entry: ExistingSchema.Entry) -> Bool {
    switch entry.kind {
    // An index without SQL was created by SQLite for a constraint.
    case .index: entry.sql != nil && tables[entry.table.lowercasedASCII] != nil
    case .trigger:
      tables[entry.table.lowercasedASCII] != nil || views.contains(entry.table.lowercasedASCII)
    case .table, .view: false
    }
  }
}

extension StatementRow {
  fileprivate func isDefinition(_ entry: ExistingSchema.Entry, or otherSQL: String?) -> Bool {
    hasText(entry.name, at: 1)
      && (hasText(entry.sql ?? "", at: 3) || otherSQL.map { hasText($0, at: 3) } ?? false)
      && hasText(entry.kind.rawValue, at: 0) && hasText(entry.table, at: 2)
  }
}

// MARK: Comparing on the way

/// The schema of a database, read by one statement and compared with the models' declarations while
/// it is read.
///
/// Most often the schema equals the declarations. Then no definition is copied or parsed.
package struct SchemaReading {
  private let entries: [ExistingSchema.Entry]
  /// Whether the schema is exactly as declared. The definitions are equal character by character,
  /// the tables have no other index or trigger, and nothing is left to drop.
  package let isExact: Bool
  /// The definition of the view that notes the Swift types of columns; nil if the file has no such
  /// view.
  package let types: String?

  package init(of connection: Connection, for declared: Declarations) throws {
    let definitions = declared.definitions
    var entries: [ExistingSchema.Entry] = []
    entries.reserveCapacity(definitions.count)
    var next = 0
    var found = 0
    var hasOthers = false
    var types: String?
    try connection.forEach("SELECT type, name, tbl_name, sql FROM sqlite_schema") { row in
      // A file that Apus made has its definitions in the declared order.
      if let index = try definitions.index(of: row, expecting: next) {
        entries.append(definitions[index])
        next = index + 1
        found += 1
      } else if let entry = try ExistingSchema.Entry(row) {
        entries.append(entry)
        if entry.name == NotedTypes.name { types = entry.sql }
        hasOthers = hasOthers || definitions.areJoined(by: entry)
      }
    }
    self.entries = entries
    self.types = types
    isExact =
      found == definitions.count && !hasOthers && definitions.areComplete
      && (declared.removals.isEmpty
        || declared.isWithoutRemovals(in: ExistingSchema(entries: entries)))
  }

  package var schema: ExistingSchema { ExistingSchema(entries: entries) }
}
