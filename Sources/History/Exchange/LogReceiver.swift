import QueryDSL
import SQLCore

/// A receiver that applies transactions of other databases. It keeps the changes that cannot be
/// applied yet, and applies them when the objects that they wait for exist.
struct LogReceiver {
  let connection: Connection
  private let identity: String
  private let policy: ConflictPolicy
  /// True if there is no caller to whom a conflict could be reported. A waiting change with a
  /// conflict then continues to wait.
  private let isSilent: Bool
  var tables: PresentTables
  private var clock: RowClock
  private(set) var count = 0
  var conflicts: [ResolvedConflict] = []
  /// Whether there are waiting changes. If so, each arriving change must be compared with them.
  private(set) var hasWaiting: Bool
  /// Whether a parent row for which changes wait may have been deleted.
  private var mayHaveDeletedParents = false

  init(
    on connection: Connection, identity: String, _ policy: ConflictPolicy, names: PresentNames,
    isSilent: Bool = false
  ) throws {
    self.connection = connection
    self.identity = identity
    self.policy = policy
    self.isSilent = isSilent
    tables = PresentTables(on: connection, names)
    clock = RowClock(identity: identity)
    hasWaiting = try connection.hasWaitingChanges()
  }

  // MARK: Arriving transactions

  /// Applies those transactions of a batch that the database does not have yet.
  mutating func receive(
    _ transactions: [LogTransaction], with application: inout ChangeApplication
  ) throws {
    if policy.comparesTimes {
      try clock.read(for: transactions, in: &tables, on: connection)
    }
    if !transactions.isEmpty { try endWaitingForDeletedRows(isNew: true) }
    for transaction in transactions where try !connection.has(transaction, identity: identity) {
      try connection.beginLogEntry()
      try apply(transaction, by: policy, entry: nil, with: &application)
      try connection.endLogEntry(applying: transaction)
      count += 1
    }
  }

  /// A change that was split: `change` is the part that can be applied now, and `waiting` has the
  /// parts that must wait.
  private struct Split {
    var change: AnyLogChange?
    var waiting: [(change: AnyLogChange, part: AwaitedPart)] = []
  }

  /// Applies the part of a transaction that can be applied, and stores the rest as waiting changes.
  ///
  /// - Parameter entry: the number of the entry in which the transaction arrived; nil if it arrives
  ///   now, in the newest entry.
  private mutating func apply(
    _ transaction: LogTransaction, by policy: ConflictPolicy, entry: Int64?,
    with application: inout ChangeApplication
  ) throws {
    let transaction = try tables.present(transaction)
    var splits: [Split] = []
    for change in transaction.changes {
      splits.append(try split(change, by: policy))
    }
    // `changes` has the changes that can be applied. `places` has the index of each of these
    // changes in the transaction.
    var places: [Int] = []
    var changes: [AnyLogChange] = []
    for (index, split) in splits.enumerated() {
      guard let change = split.change,
        let newer = policy.comparesTimes ? clock.newer(change, of: transaction) : change
      else { continue }
      places.append(index)
      changes.append(newer)
    }
    let resolved = try application.apply(changes, resolving: policy)
    // Two sets of indices in `changes`: the changes that were left out, and the changes that wait.
    var (left, waiting): (Set<Int>, Set<Int>) = ([], [])
    let found = resolved.map { (place: changes.firstIndex(of: $0.conflict.change), conflict: $0) }
    for (place, conflict) in found {
      guard let place else { continue }
      if !conflict.wasApplied { left.insert(place) }
      if let part = try part(for: conflict, splits[places[place]], changes[place]) {
        let index = places[place]
        waiting.insert(place)
        splits[index].waiting = [(transaction.changes[index], part)]
      }
    }
    // The conflicts of a change that waits are not reported, even if the policy has decided them.
    for (place, conflict) in found where place.map({ !waiting.contains($0) }) ?? true {
      conflicts.append(conflict)
    }
    for (place, change) in changes.enumerated() where !waiting.contains(place) {
      if policy.comparesTimes {
        clock.note(change, of: transaction)
        try connection.markInLog(
          change, in: tables.table(change.table), existed: application.existing.contains(place))
      }
      guard change.kind == .deleted, hasWaiting, !left.contains(place) else { continue }
      try connection.endWaiting(ofRowOf: change)
      mayHaveDeletedParents = true
    }
    for waiting in splits.flatMap(\.waiting) {
      try connection.keep(
        waiting.change, of: transaction, entry: entry, for: waiting.part, policy.rule)
      hasWaiting = true
    }
  }

  // MARK: What waits

  /// Splits a change into a part that can be applied now, and parts that must wait because a table,
  /// a column or a row is missing.
  private mutating func split(_ change: AnyLogChange, by policy: ConflictPolicy) throws -> Split {
    guard let table = try tables.table(change.table), table.isLogged, table.hasKey(of: change)
    else {
      let part = AwaitedPart(
        kind: .table, table: change.table, columns: change.shape.keyNames)
      return try waits(change, .schemaChanged(missing: []), policy)
        ? Split(change: nil, waiting: [(change, part)]) : Split(change: nil)
    }
    var split = Split(change: change)
    let missing = table.missingColumns(of: change)
    if !missing.isEmpty {
      let known = change.restricted { column in
        !missing.contains(where: { $0.isSame(as: column) })
      }
      split.change = known.kind == .updated && known.changedColumns.isEmpty ? nil : known
      // A deletion does not wait for missing columns, because it needs only the columns of the key.
      if change.kind != .deleted, try waits(change, .schemaChanged(missing: missing), policy) {
        split.waiting = missing.map { column in
          (
            change.restricted(to: { $0.isSame(as: column) }, kind: .updated),
            AwaitedPart(kind: .column, table: table.name, columns: [column])
          )
        }
      }
    }
    // If the row of an update does not exist because its insertion waits, the update waits, too.
    if change.kind == .updated, hasWaiting,
      try connection.insertionWaits(table: table.name, key: change.keyText),
      try table.row(of: change, on: connection) == nil
    {
      split.change = nil
      split.waiting = [
        (
          change,
          AwaitedPart(
            kind: .row, table: table.name, columns: change.shape.keyNames,
            values: change.keyValues.map { CodedValue(value: $0) })
        )
      ]
    }
    return split
  }

  /// Asks the policy about a change that the schema does not allow yet. Returns true if the change
  /// waits, and false if it is discarded. Throws `ChangeConflicts` if the policy decides `fail`.
  private mutating func waits(
    _ change: AnyLogChange, _ reason: ChangeConflict.Reason, _ policy: ConflictPolicy
  ) throws -> Bool {
    let conflict = ChangeConflict(change: change, reason: reason, current: nil)
    switch try policy.resolve(conflict) {
    case .fail: throw ChangeConflicts(conflicts: [conflict])
    case .discard:
      conflicts.append(ResolvedConflict(conflict: conflict, wasApplied: false))
      return false
    case .keep, .apply: return true
    }
  }

  /// Returns the missing object that caused the conflict of a change, so that the change waits for
  /// it; nil if the change does not wait.
  private mutating func part(
    for resolved: ResolvedConflict, _ split: Split, _ change: AnyLogChange
  ) throws -> AwaitedPart? {
    guard case .violates(let failure) = resolved.conflict.reason, !resolved.isDiscarded,
      change.kind != .deleted, let table = try tables.table(change.table)
    else { return nil }
    switch failure.kind {
    case .foreignKey:
      mayHaveDeletedParents = true
      return try missingParent(of: change, in: table, failure)
    case .notNull, .check:
      // If some columns of the row are missing in the table, this may be the only reason why the
      // row violates the constraint. In this case, the whole row waits for these columns.
      return change.kind == .inserted ? split.waiting.first?.part : nil
    default: return nil
    }
  }

  /// Applies the changes that no longer have to wait. Repeats this until no further change can be
  /// applied, because one change may create the row that another one waits for.
  mutating func applyWaiting(with application: inout ChangeApplication) throws {
    guard hasWaiting else { return }
    // Otherwise, `receive` has already ended the waits for deleted rows. When a database is opened,
    // `receive` does not run, so they are ended here.
    if isSilent { try endWaitingForDeletedRows() }
    var tried: Set<AwaitedPart> = []
    while true {
      var ready: [WaitingChange] = []
      for (part, _) in try connection.awaitedParts()
      where try !tried.contains(part) && isPresent(part) {
        tried.insert(part)
        ready += try connection.waitingChanges(for: part)
      }
      guard !ready.isEmpty else { break }
      ready.sort { $0.id < $1.id }
      // A new clock has only the times of logged changes, so the waiting changes are compared only
      // with these.
      clock = RowClock(identity: identity)
      try clock.read(for: ready.map(\.transaction), in: &tables, on: connection)
      for group in WaitingChange.grouped(ready) {
        try apply(group, with: &application)
      }
    }
    if !isSilent, mayHaveDeletedParents { try endWaitingForDeletedParents() }
  }

  /// Applies the waiting changes of one transaction as a separate entry.
  private mutating func apply(
    _ group: [WaitingChange], with application: inout ChangeApplication
  ) throws {
    guard let first = group.first, !isSilent || first.rule != nil else { return }
    let transaction = first.transaction.with(group.flatMap(\.transaction.changes))
    let policy = policy.rule == first.rule ? policy : first.rule.map(\.policy) ?? policy
    let (connection, former) = (connection, (clock, conflicts, application))
    do {
      try connection.savepoint { connection in
        try connection.endWaiting(group.map(\.id))
        try connection.beginLogEntry()
        try apply(transaction, by: policy, entry: first.entry, with: &application)
        let leftOut = conflicts[former.1.count...].filter { !$0.wasApplied }
        guard !isSilent || leftOut.isEmpty else {
          throw ChangeConflicts(conflicts: leftOut.map(\.conflict))
        }
        try connection.endLogEntry(applyingLate: transaction)
      }
    } catch is ChangeConflicts where isSilent {
      (clock, conflicts, application) = former
    }
  }
}
