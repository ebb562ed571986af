import QueryDSL
import SQLCore

/// A transaction that applies recorded changes of rows, for example to undo them.
///
/// In the tables to which the changes belong, no trigger of the user fires and no foreign key
/// action runs, because the changes already include the effects of triggers and cascades. In other
/// tables, foreign key actions run and triggers fire, as for a statement of the user.
struct ChangeApplication {
  let connection: Connection
  private let core: ConnectionCore
  private let checksForeignKeys: Bool
  private let firesTriggers: Bool
  /// The names, in lower case, of the tables to which the changes belong. If nil, the changes
  /// belong to all logged tables, whose names were not looked up yet.
  private var ownTables: Set<String>?
  private var tables: [String: AppliedTable?] = [:]
  private var knownKeys: ForeignKeyGraph?
  /// The insertions of the last call of `apply` whose row existed already, as positions in the
  /// changes of this call.
  private(set) var existing: Set<Int> = []
  private var triggers: [OwnTriggers] = []
  private var tablesWithTriggers: Set<String> = []

  private init(
    on core: ConnectionCore, of tables: Set<String>?, checksForeignKeys: Bool, firesTriggers: Bool
  ) {
    self.core = core
    connection = core.lend()
    ownTables = tables
    self.checksForeignKeys = checksForeignKeys
    self.firesTriggers = firesTriggers
  }

  /// Runs a closure that applies changes, in a transaction of its own.
  ///
  /// Foreign keys are switched off before the transaction begins, so that no cascade runs. The
  /// changed rows are checked before the transaction ends.
  ///
  /// - Parameter tables: the names, in lower case, of the tables to which the changes belong; nil
  ///   for all logged tables.
  static func run<Result>(
    on core: ConnectionCore, of tables: Set<String>? = nil, label: String? = nil,
    author: String? = nil,
    _ body: (inout ChangeApplication, Connection) throws -> Result
  ) throws -> Result {
    // Triggers can be switched off only by a function of the C API, and not by a PRAGMA. So a
    // remote engine cannot do this.
    try core.requireLocal("applying recorded changes without the triggers")
    let enforcesForeignKeys = core.enforcesForeignKeys
    let firesTriggers = core.firesTriggers
    core.enforcesForeignKeys = false
    core.firesTriggers = false
    defer {
      core.enforcesForeignKeys = enforcesForeignKeys
      core.firesTriggers = firesTriggers
    }
    core.writeLabel = label
    return try core.transaction(.immediate) {
      var application = ChangeApplication(
        on: core, of: tables, checksForeignKeys: enforcesForeignKeys, firesTriggers: firesTriggers)
      let connection = application.connection
      let result = try body(&application, connection)
      if let author { try connection.noteAuthor(author) }
      for triggers in application.triggers { try triggers.drop(on: connection) }
      return result
    }
  }

  /// Applies the changes of one transaction, and returns the conflicts with the decisions of the
  /// policy.
  ///
  /// Throws `ChangeConflicts` if the policy decides `fail` for a conflict.
  ///
  /// - Parameter rekeyed: a closure that returns the rows whose keys the recorded transaction may
  ///   have changed by an UPDATE. It is called only if rows of other tables may refer to a changed
  ///   row. The closure is nil, or returns nil, if the rows with changed keys are not known.
  mutating func apply(
    _ changes: [AnyLogChange], resolving policy: ConflictPolicy,
    rekeyed: (() throws -> Set<ChangedRow>?)? = nil
  ) throws -> [ResolvedConflict] {
    var names: Set<String> = []
    for (index, change) in changes.enumerated()
    where index == 0 || change.shape !== changes[index - 1].shape {
      names.insert(change.shape.foldedTable)
    }
    if triggers.isEmpty, try hasTemporaryTriggers() {
      names.formUnion(try ExistingSchema(of: connection).entries.map(\.table.lowercasedASCII))
    }
    names.subtract(tablesWithTriggers)
    if !names.isEmpty {
      triggers.append(try OwnTriggers(of: names, on: connection))
      tablesWithTriggers.formUnion(names)
    }
    var decisions = ConflictDecisions()
    while true {
      let conflicts = try attempt(changes, decisions, rekeyed)
      guard !conflicts.isEmpty else { return decisions.resolved }
      var failing: [ChangeConflict] = []
      for (index, conflict) in conflicts
      where try !decisions.decide(conflict, ofChange: index, by: policy) {
        failing.append(conflict)
      }
      guard failing.isEmpty else { throw ChangeConflicts(conflicts: failing) }
    }
  }

  /// Applies changes that reverse what foreign key actions have changed outside of the history's
  /// tables. Foreign key actions run and triggers fire meanwhile, as for a statement of the user.
  ///
  /// If no foreign key action can change the table of a change, a trigger has made the change. Such
  /// a change is left out. Rows that cannot be restored stay unchanged, and are returned as
  /// conflicts.
  mutating func restore(_ changes: [AnyLogChange]) throws -> [ResolvedConflict] {
    let reached = try reachedTables()
    let changes = changes.filter { reached.contains($0.shape.foldedTable) }
    guard !changes.isEmpty else { return [] }
    let keys = try foreignKeys()
    var decisions = ConflictDecisions()
    while true {
      var attempt = ApplicationAttempt(
        connection: connection, changes: changes, decisions: decisions, foreignKeys: keys)
      try connection.savepoint { connection in
        try enforcing {
          // A parent row may be restored after its child rows, so foreign keys are checked only at
          // the end.
          try connection.execute("PRAGMA defer_foreign_keys = ON")
          try attempt.run {
            try table($0)
          } isOutside: { _ in
            false
          } enforcing: {
            try $0()
          }
        }
        if !attempt.conflicts.isEmpty { try connection.requestRollback() }
      }
      guard !attempt.conflicts.isEmpty else { return decisions.resolved }
      for (index, conflict) in attempt.conflicts {
        _ = try decisions.decide(conflict, ofChange: index, by: .mine)
      }
    }
  }

  /// Returns the tables in which foreign key actions may change rows, except the tables of the
  /// changes themselves. The names are in lower case.
  mutating func reachedTables() throws -> Set<String> {
    guard checksForeignKeys else { return [] }
    return try foreignKeys().tables(reachedFrom: tablesOfChanges())
  }

  /// Tries to apply the changes with the decisions that the policy has made so far. If there is a
  /// conflict without a decision, changes nothing and returns all such conflicts.
  private mutating func attempt(
    _ changes: [AnyLogChange], _ decisions: ConflictDecisions,
    _ rekeyed: (() throws -> Set<ChangedRow>?)?
  ) throws -> [(index: Int, conflict: ChangeConflict)] {
    let keys = checksForeignKeys ? try foreignKeys() : nil
    var attempt = ApplicationAttempt(
      connection: connection, changes: changes, decisions: decisions, foreignKeys: keys,
      rekeyed: rekeyed)
    try connection.savepoint { connection in
      try attempt.run {
        try table($0)
      } isOutside: {
        try !tablesOfChanges().contains($0.lowercasedASCII)
      } enforcing: {
        try enforcing($0)
      }
      if !attempt.conflicts.isEmpty { try connection.requestRollback() }
    }
    existing = attempt.existing
    return attempt.conflicts
  }

  private mutating func table(_ name: String) throws -> AppliedTable? {
    if let known = tables[name.lowercasedASCII] { return known }
    let table = try AppliedTable(named: name, on: connection)
    tables[name.lowercasedASCII] = .some(table)
    return table
  }

  /// Returns whether the connection has temporary triggers of the user. Such triggers also fire for
  /// the library's writes, and could change any table.
  private func hasTemporaryTriggers() throws -> Bool {
    try connection.row("SELECT 1 FROM sqlite_temp_schema WHERE type = 'trigger' LIMIT 1") != nil
  }

  private mutating func tablesOfChanges() throws -> Set<String> {
    if let ownTables { return ownTables }
    let schema = try ExistingSchema(of: connection)
    let tables = Set(schema.entries.filter(\.isLogTrigger).map(\.table.lowercasedASCII))
    ownTables = tables
    return tables
  }

  /// Runs a closure with foreign keys and triggers switched on. The temporary copies of the
  /// library's triggers are dropped meanwhile, because the original triggers fire.
  ///
  /// If the closure throws an error, the caller rolls its savepoint back, which also restores the
  /// copies.
  private func enforcing(_ body: () throws -> Void) throws {
    for triggers in triggers { try triggers.drop(on: connection) }
    core.enforcesForeignKeys = true
    core.firesTriggers = firesTriggers
    defer {
      core.enforcesForeignKeys = false
      core.firesTriggers = false
    }
    try body()
    for triggers in triggers { try triggers.create(on: connection) }
  }

  private mutating func foreignKeys() throws -> ForeignKeyGraph {
    if let knownKeys { return knownKeys }
    let keys = try ForeignKeyGraph(of: connection)
    knownKeys = keys
    return keys
  }
}

/// The decisions of a policy about the conflicts of some changes.
struct ConflictDecisions {
  /// The indexes of the changes that are not applied, so that their rows are kept as they are.
  private(set) var kept: Set<Int> = []
  /// The conflicts that the policy lets a change overwrite, by the index of the change.
  private var overwritten: [Int: [ChangeConflict]] = [:]
  /// The decisions about single conflicts, each with the index of its change.
  private var decided: [(index: Int, conflict: ResolvedConflict)] = []

  /// The conflicts, and whether their changes were applied. A change may have several conflicts,
  /// found one after the other. If the policy lets the change overwrite only some, the whole change
  /// is left out.
  var resolved: [ResolvedConflict] {
    decided.map { index, resolved in
      ResolvedConflict(
        conflict: resolved.conflict, wasApplied: resolved.wasApplied && !kept.contains(index),
        isDiscarded: resolved.isDiscarded)
    }
  }

  /// Returns whether a change may overwrite the row or value that conflicts with it.
  func mayOverwrite(_ index: Int, _ reason: ChangeConflict.Reason) -> Bool {
    overwritten[index]?.contains { $0.reason == reason } ?? false
  }

  /// Asks a policy about a conflict and records its decision. Returns false if the decision is
  /// `fail`.
  mutating func decide(
    _ conflict: ChangeConflict, ofChange index: Int, by policy: ConflictPolicy
  ) throws -> Bool {
    switch try policy.resolve(conflict) {
    case .fail: return false
    case .apply where conflict.canBeOverwritten && !mayOverwrite(index, conflict.reason):
      overwritten[index, default: []].append(conflict)
      decided.append((index, ResolvedConflict(conflict: conflict, wasApplied: true)))
    case let resolution:
      kept.insert(index)
      let isDiscarded = resolution == .discard
      decided.append(
        (
          index,
          ResolvedConflict(conflict: conflict, wasApplied: false, isDiscarded: isDiscarded)
        ))
    }
    return true
  }
}
