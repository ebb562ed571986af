import SQLCore

/// The views and triggers of a database that SQLite cannot compile, with its reason for each.
///
/// Such a definition was broken by whoever wrote it or what it names, and stays as it is. One that a
/// migration would break is a reason to refuse it.
struct BrokenDefinitions {
  struct Definition {
    let kind: LiveSchema.Entry.Kind
    let name: String
    /// What SQLite says.
    let reason: String

    /// The line of a schema that drops it.
    var removalLine: String {
      kind == .view
        ? "Dropped(view: \(name.swiftLiteral))" : "Dropped(trigger: \(name.swiftLiteral))"
    }
  }

  private(set) var definitions: [Definition] = []

  /// Compiles each view, and what fires each trigger: one statement each, none of which runs.
  init(in connection: Connection) throws {
    let schema = try LiveSchema(of: connection)
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

  /// Finds which triggers of one table fail; where none does, that takes a statement for each event.
  private mutating func addTriggers(_ triggers: [LiveSchema.Entry], in connection: Connection)
    throws
  {
    guard let table = triggers.first?.table else { return }
    let columns: [String]
    do {
      columns = try connection.columns(ofTable: table).filter { $0.generation == .none }.map(\.name)
    } catch let error as DatabaseError where error.isRefusal {
      // A view that names what is not there has no columns, and none of its triggers compiles.
      definitions += triggers.map {
        Definition(kind: .trigger, name: $0.name, reason: error.message)
      }
      return
    }
    func failure(_ triggers: [LiveSchema.Entry]) throws -> String? {
      let events = Set(triggers.compactMap { $0.sql.flatMap { TriggerEvent($0) } })
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

/// What fires a trigger.
private enum TriggerEvent: String {
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
      if let event = TriggerEvent(rawValue: token.value.lowercasedASCII) {
        self = event
        return
      }
    }
    return nil
  }

  /// A statement that fires it, to be compiled.
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
