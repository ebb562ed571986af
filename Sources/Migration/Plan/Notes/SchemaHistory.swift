import QueryDSL
import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The earlier definitions of the tables and views of a database file, as the file notes them.
///
/// A migration that changes a table notes the definition before and after the change. A program is
/// older than the file if it would leave an earlier state unchanged, but would change the present
/// one. A table that has not changed since its creation has no history, so a new file does not have
/// the table `apus_schema`.
struct SchemaHistory {
  static let table = "apus_schema"

  /// A table, a view, an index, a trigger, or a table of a full-text or vector index, as in
  /// `sqlite_schema`.
  struct Part: Codable, Hashable {
    let name: String
    let sql: String

    /// The kind of the part, which is read from its definition. This property does not recognise
    /// views, so it is not used for the first part of a state, which may be a view.
    var kind: ExistingSchema.Entry.Kind {
      let word = SQLTokens(sql).tokens.dropFirst().first
      if word?.isWord("trigger") == true { return .trigger }
      return word?.isWord("virtual") == true || word?.isWord("table") == true ? .table : .index
    }
  }

  /// The state of a table or view at some time; empty if it did not exist. The first part is the
  /// definition of the table or view. Then follow the definitions of its indexes, and of the
  /// triggers, full-text and vector indexes that models declared.
  struct State {
    let parts: [Part]
    /// The time at which a migration noted this state: after the migration made it, or before the
    /// migration replaced it by the next state.
    let date: Date
  }

  /// The states of each table and view, from the oldest to the latest. The keys are names in lower
  /// case.
  private(set) var states: [String: [State]] = [:]
  /// The latest noted schema version, and the time of the note; nil if no version is noted.
  private(set) var version: (number: Int, date: Date)?

  /// Reads the history of a file with this schema. Costs at most one statement. Returns nil if the
  /// file has no history.
  init?(of schema: ExistingSchema, in connection: Connection) throws {
    guard schema.relation(Self.table) != nil else { return nil }
    try connection.forEach(
      """
      SELECT "name", "definition", "changedAt", "version" FROM \(identifier: Self.table) ORDER BY "id"
      """
    ) { row in
      let name = try row.get(String.self, at: 0)
      let date = try row.get(Date.self, at: 2)
      if let number = try row.get(Int?.self, at: 3) { version = (number, date) }
      guard let parts = Self.parts(of: try row.get(at: 1)), !name.isEmpty else { return }
      states[name.lowercasedASCII, default: []].append(State(parts: parts, date: date))
    }
  }

  func states(of name: String) -> [State] { states[name.lowercasedASCII] ?? [] }

  // MARK: Writing

  /// Notes which declared tables and views a migration changed, inside its transaction.
  static func note(
    from old: ExistingSchema, to new: ExistingSchema, _ declared: Declarations, version: Int?,
    in connection: Connection
  ) throws {
    let changed = declared.namesWithHistory.filter { old.parts(of: $0) != new.parts(of: $0) }
    guard !changed.isEmpty || version != nil else { return }
    let history = try SchemaHistory(of: new, in: connection)
    let now = Date()
    var rows: [(name: String, definition: String, version: Int?)] = []
    if let version, version != history?.version?.number { rows.append(("", "[]", version)) }
    for name in changed {
      let isKnown = history?.states(of: name).isEmpty == false
      // If the migration has just created the table, nothing is noted: there is no earlier state
      // that an older program could declare.
      guard isKnown || !old.parts(of: name).isEmpty else { continue }
      if !isKnown { rows.append((name, try text(of: old.parts(of: name)), nil)) }
      rows.append((name, try text(of: new.parts(of: name)), nil))
    }
    guard !rows.isEmpty else { return }
    try connection.execute(
      """
      CREATE TABLE IF NOT EXISTS \(identifier: Self.table) ("id" INTEGER PRIMARY KEY NOT NULL, \
      "name" TEXT NOT NULL COLLATE NOCASE, "definition" TEXT NOT NULL, \
      "changedAt" INTEGER NOT NULL, "version" INTEGER) STRICT
      """)
    for row in rows {
      // If a table gets a state that it had before, the earlier note of this state is deleted, and
      // the state is noted as the latest one. So switching between two versions of a program adds
      // no rows.
      try connection.execute(
        """
        DELETE FROM \(identifier: Self.table)
        WHERE "name" = \(row.name) AND "definition" = \(row.definition)
        """)
      try connection.execute(
        """
        INSERT INTO \(identifier: Self.table) ("name", "definition", "changedAt", "version")
        VALUES (\(row.name), \(row.definition), \(now), \(row.version))
        """)
    }
  }

  private static func text(of parts: [Part]) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(parts), as: UTF8.self)
  }

  private static func parts(of text: String) -> [Part]? {
    try? JSONDecoder().decode([Part].self, from: Data(text.utf8))
  }
}

extension Declarations {
  /// The names of all tables and views that may have a history. These are declared tables with
  /// their former names, declared views, and dropped tables and views.
  fileprivate var namesWithHistory: [String] {
    var seen: Set<String> = []
    let dropped = removals.compactMap { removal in
      switch removal {
      case .table(let name), .view(let name): name
      default: nil
      }
    }
    return (tables.flatMap { [$0.name] + $0.formerNames } + views.map(\.name) + dropped)
      .filter { seen.insert($0.lowercasedASCII).inserted }
  }
}

extension ExistingSchema {
  /// Returns a table or view with its indexes, its declared triggers, and its full-text and vector
  /// indexes, in a stable order; empty if the table or view does not exist.
  func parts(of name: String) -> [SchemaHistory.Part] {
    guard let entry = relation(name), let sql = entry.sql else { return [] }
    let indexes = entries.filter { $0.kind == .index && $0.table.isSame(as: name) }
      .compactMap { index in index.sql.map { SchemaHistory.Part(name: index.name, sql: $0) } }
      .sorted { $0.name < $1.name }
    let triggers = triggers(of: name).filter(\.isOwnTrigger)
      .compactMap { entry in entry.sql.map { SchemaHistory.Part(name: entry.name, sql: $0) } }
      .sorted { $0.name < $1.name }
    let searchIndexes = searchIndexes.filter { $0.table.isSame(as: name) }
      .flatMap { index in
        [SchemaHistory.Part(name: index.name, sql: index.sql)]
          + [self.pendingTable(index.pendingTable)].compactMap { notes in
            notes?.sql.map { SchemaHistory.Part(name: index.pendingTable, sql: $0) }
          }
      }.sorted { $0.name < $1.name }
    return [SchemaHistory.Part(name: entry.name, sql: sql)] + indexes + triggers + searchIndexes
  }

  /// Creates a schema that contains only a table in an earlier state.
  init(of state: SchemaHistory.State) {
    self.init(
      entries: state.parts.enumerated().map { index, part in
        Entry(
          kind: index == 0 ? .table : part.kind, name: part.name,
          table: index > 0 && part.kind == .table ? part.name : state.parts[0].name, sql: part.sql)
      })
  }
}

extension MigrationOptions {
  /// Returns whether a program with a higher schema version has migrated the file.
  func areOlder(than schema: ExistingSchema, in connection: Connection) throws -> Bool {
    guard newerSchema != .replaced, let schemaVersion else { return false }
    return try SchemaHistory(of: schema, in: connection)?.version.map { schemaVersion < $0.number }
      ?? false
  }
}
