import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The definitions that the tables and views of a file have had, as the file remembers them.
///
/// A migration that changes a table notes, in a table of the file, how it was and how it is. By that
/// a program is recognised as older than the file: it would have opened an earlier state as it was,
/// and would change the present one. A table that was created and never changed has no history, so
/// that a new file has no such table at all.
struct SchemaHistory {
  static let table = "apus_schema"

  /// A table or view, or an index of it, as `sqlite_schema` has it.
  struct Part: Codable, Hashable {
    let name: String
    let sql: String
  }

  /// A table or view at some time: itself and then its indexes; nothing if it was gone.
  struct State {
    let parts: [Part]
    /// When a migration made it so, or found it so before it made the next.
    let date: Date
  }

  /// From the oldest to the latest, by folded name.
  private(set) var states: [String: [State]] = [:]
  /// The number that the program that migrated last gave to its schema.
  private(set) var version: (number: Int, date: Date)?

  /// Reads the history of a file; nil if it has none. One statement, or two.
  init?(in connection: Connection) throws {
    guard try connection.tableExists(Self.table) else { return nil }
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

  // MARK: Noting

  /// Notes what a migration changed of the declared tables and views, inside its transaction.
  static func note(
    from old: LiveSchema, to new: LiveSchema, _ declared: Declarations, version: Int?,
    in connection: Connection
  ) throws {
    let changed = declared.namesWithHistory.filter { old.parts(of: $0) != new.parts(of: $0) }
    guard !changed.isEmpty || version != nil else { return }
    let history = try SchemaHistory(in: connection)
    let now = Date()
    var rows: [(name: String, definition: String, version: Int?)] = []
    if let version, version != history?.version?.number { rows.append(("", "[]", version)) }
    for name in changed {
      let isKnown = history?.states(of: name).isEmpty == false
      // What is new has no earlier state that an older program could want back.
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
      // A state that comes back is noted once, as the latest: switching to and fro adds nothing.
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
  /// The names of what may have a history: tables, with those that they had, views, and what is
  /// dropped.
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

extension LiveSchema {
  /// A table or view, and its indexes, in one order; nothing if there is none.
  func parts(of name: String) -> [SchemaHistory.Part] {
    guard let entry = relation(name), let sql = entry.sql else { return [] }
    let indexes = entries.filter { $0.kind == .index && $0.table.isSame(as: name) }
      .compactMap { index in index.sql.map { SchemaHistory.Part(name: index.name, sql: $0) } }
      .sorted { $0.name < $1.name }
    return [SchemaHistory.Part(name: entry.name, sql: sql)] + indexes
  }

  /// The schema of which a table, as it once was, is all.
  init(of state: SchemaHistory.State) {
    self.init(
      entries: state.parts.enumerated().map { index, part in
        Entry(
          kind: index == 0 ? .table : .index, name: part.name, table: state.parts[0].name,
          sql: part.sql)
      })
  }
}
