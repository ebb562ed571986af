import QueryDSL
import SQLCore

/// The views and triggers of a database that SQLite cannot compile, with the reason for each.
///
/// A definition that was broken before a migration stays unchanged. A migration that would break a
/// definition is refused.
struct BrokenDefinitions {
  struct Definition {
    let kind: ExistingSchema.Entry.Kind
    let name: String
    /// SQLite's error message.
    let reason: String

    /// The line of a schema that drops the view or trigger, such as `Dropped(view: "Old")`.
    var removalLine: String {
      kind == .view
        ? "Dropped(view: \(name.swiftLiteral))" : "Dropped(trigger: \(name.swiftLiteral))"
    }
  }

  private(set) var definitions: [Definition] = []

  /// Compiles a query of each view, and a statement for each event that fires a trigger. None of
  /// these statements runs.
  init(of schema: ExistingSchema, in connection: Connection) throws {
    for view in schema.entries where view.kind == .view {
      if let reason = try Self.failure(of: "SELECT * FROM \(identifier: view.name)", in: connection)
      {
        definitions.append(Definition(kind: .view, name: view.name, reason: reason))
      }
    }
    let triggers = Dictionary(grouping: schema.entries.filter { $0.kind == .trigger }) {
      $0.table.lowercasedASCII
    }
    for (_, triggers) in triggers.sorted(by: { $0.key < $1.key }) {
      try addTriggers(triggers, in: connection)
    }
  }

  func contains(_ other: Definition) -> Bool {
    definitions.contains { $0.kind == other.kind && $0.name.isSame(as: other.name) }
  }

  private static func failure(of sql: SQL, in connection: Connection) throws -> String? {
    do {
      _ = try connection.prepare(sql)
      return nil
    } catch let error as DatabaseError where error.isRefusal {
      return error.message
    }
  }

  /// Adds those triggers of one table that do not compile. If all compile, this costs one statement
  /// for each event.
  private mutating func addTriggers(_ triggers: [ExistingSchema.Entry], in connection: Connection)
    throws
  {
    guard let table = triggers.first?.table else { return }
    let columns: [String]
    do {
      columns = try connection.columns(ofTable: table).filter { $0.generation == .none }.map(\.name)
    } catch let error as DatabaseError where error.isRefusal {
      // The triggers belong to a view that names a missing object. SQLite cannot find the columns
      // of such a view, so none of its triggers compiles.
      definitions += triggers.map {
        Definition(kind: .trigger, name: $0.name, reason: error.message)
      }
      return
    }
    func failure(_ triggers: [ExistingSchema.Entry]) throws -> String? {
      let events = Set(triggers.compactMap { $0.sql.flatMap { FiringEvent($0) } })
      for event in events.sorted(by: { $0.rawValue < $1.rawValue }) {
        let statement = event.statement(table, columns)
        if let reason = try Self.failure(of: statement, in: connection) { return reason }
      }
      return nil
    }
    guard try failure(triggers) != nil else { return }
    var found: [Definition] = []
    try connection.savepoint { connection in
      for trigger in triggers { try connection.execute("DROP TRIGGER \(identifier: trigger.name)") }
      for trigger in triggers {
        try connection.execute(SQL(unsafe: trigger.sql ?? ""))
        if let reason = try failure([trigger]) {
          found.append(Definition(kind: .trigger, name: trigger.name, reason: reason))
        }
        try connection.execute("DROP TRIGGER \(identifier: trigger.name)")
      }
      try connection.requestRollback()
    }
    definitions += found
  }
}

/// The event that fires a trigger.
private enum FiringEvent: String {
  case delete, insert, update

  init?(_ sql: String) {
    var tokens = SQLTokens(sql).tokens[...]
    tokens = tokens.drop { !$0.isWord("trigger") }.dropFirst()
    if tokens.first?.isWord("if") == true, tokens.dropFirst().first?.isWord("not") == true {
      tokens = tokens.dropFirst(3)
    }
    tokens = tokens.dropFirst()
    if tokens.first?.isSign(".") == true { tokens = tokens.dropFirst(2) }
    for token in tokens.prefix(3) {
      if let event = FiringEvent(rawValue: token.value.lowercasedASCII) {
        self = event
        return
      }
    }
    return nil
  }

  /// Returns a statement that would fire the trigger. It is compiled, but does not run.
  func statement(_ table: String, _ columns: [String]) -> SQL {
    switch self {
    case .delete: return "DELETE FROM \(identifier: table)"
    case .insert: return "INSERT INTO \(identifier: table) DEFAULT VALUES"
    case .update:
      let set = columns.map { "\(Identifier($0).quoted) = \(Identifier($0).quoted)" }
      return "UPDATE \(identifier: table) SET \(unsafe: set.joined(separator: ", "))"
    }
  }
}
