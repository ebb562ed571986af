import QueryDSL
import SQLCore

/// The foreign key actions that applied changes require in other tables: ON DELETE for deleted
/// rows, and ON UPDATE for changed keys. Changes are applied with foreign keys switched off, so
/// these actions run afterwards.
struct ForeignKeyActions {
  /// A row that was changed or deleted, as it was before.
  struct FormerRow {
    /// The index of the change.
    let index: Int
    let row: AppliedRow
    /// Whether the row was deleted to make room for the row of the change, because both have the
    /// same unique value. False if this is the row of the change itself.
    var wasReplaced = false
  }

  private struct Deletion {
    let index: Int
    let key: ForeignKeyGraph.Key
    let values: [DatabaseValue]
  }

  private struct Move {
    let index: Int
    let old: [DatabaseValue]
    let new: [DatabaseValue]
  }

  private var deletions: [Deletion] = []
  /// The changed keys of parent rows, by the foreign key that refers to them (a position in
  /// `foreignKeys.keys`).
  private var moves: [Int: [Move]] = [:]
  private let foreignKeys: ForeignKeyGraph
  /// The deletions that cannot be applied. It is unknown whether the row was really deleted or only
  /// got another key. So it is also unknown what must happen to the rows that refer to it.
  private(set) var undecided: [(index: Int, failure: ConstraintFailure)] = []

  var isEmpty: Bool { deletions.isEmpty && moves.isEmpty }

  /// Finds the actions.
  ///
  /// - Parameters:
  ///   - former: the rows that were changed or deleted, as they were before.
  ///   - isOutside: returns whether foreign key actions must run in a table. They do not run in the
  ///     tables of the changes, because the changes already include their effects.
  init(
    after changes: [AnyLogChange], of former: [FormerRow], by foreignKeys: ForeignKeyGraph,
    on connection: Connection, _ isOutside: (String) throws -> Bool
  ) throws {
    self.foreignKeys = foreignKeys
    lazy var rekeyings = Rekeyings(of: changes)
    let gone = former.filter { $0.wasReplaced || changes[$0.index].kind == .deleted }.map(\.row)
    let withChildren = try foreignKeys.keys.map { key in
      try isOutside(key.child)
        && key.mayHaveChildren(
          of: gone.filter { key.parent.isSame(as: $0.table.name) }, on: connection)
    }
    for former in former {
      let change = changes[former.index]
      for (place, key) in foreignKeys.keys.enumerated() where key.parent.isSame(as: change.table) {
        guard try isOutside(key.child), let old = key.values(of: former.row) else { continue }
        let follows = key.onUpdate != .noAction && key.onUpdate != .restrict
        guard former.wasReplaced || change.kind == .deleted else {
          let new = zip(key.parentColumns, old).map { change.new($0) ?? $1 }
          if new != old, follows {
            moves[place, default: []].append(Move(index: former.index, old: old, new: new))
          }
          continue
        }
        guard withChildren[place],
          try key.hasChildren(of: old, isDangling: true, on: connection)
        else { continue }
        let isRekeyable = follows && !former.wasReplaced
        switch isRekeyable ? rekeyings.fate(of: former.index) : .deleted {
        case .deleted:
          deletions.append(Deletion(index: former.index, key: key, values: old))
        case .rekeyed(let index):
          let new = key.parentColumns.compactMap { changes[index].new($0) }
          if new.count == old.count {
            moves[place, default: []].append(Move(index: former.index, old: old, new: new))
          }
        case .unknown: undecided.append((former.index, key.failure))
        }
      }
    }
  }

  /// Runs the actions, with foreign keys and triggers switched on. If an action violates a
  /// constraint, returns the index of the change that requires the action, and the constraint;
  /// otherwise nil.
  func run(on connection: Connection) throws -> (index: Int, failure: ConstraintFailure)? {
    for (place, moves) in moves.sorted(by: { $0.key < $1.key }) {
      let key = foreignKeys.keys[place]
      // A bound far below SQLite's limit for the parameters of a statement.
      var rest = moves[...]
      while let first = rest.first {
        let part = rest.prefix(4_000 / key.columns.count)
        rest = rest.dropFirst(part.count)
        let failure = try failure {
          try key.actOnUpdate(part.map { ($0.old, $0.new) }, on: connection)
        }
        if let failure { return (first.index, failure) }
      }
    }
    for deletion in deletions {
      let failure = try failure {
        try deletion.key.actOnDelete(of: deletion.values, on: connection)
      }
      if let failure { return (deletion.index, failure) }
    }
    let index = deletions.first?.index ?? moves.values.first?.first?.index
    guard let index, try connection.count(of: .deferredForeignKeys) > 0 else { return nil }
    return (index, ConstraintFailure(kind: .foreignKey))
  }

  /// Returns the constraint that a statement violates; nil if the statement succeeds. If a trigger
  /// raises an error, throws this error, because only its message says what is wrong.
  private func failure(of body: () throws -> Void) throws -> ConstraintFailure? {
    do {
      try body()
      return nil
    } catch let error as DatabaseError {
      guard let failure = error.constraint, failure.kind != .other else { throw error }
      return failure
    }
  }
}

/// The rows whose key was changed. For each of them, the changes contain a deletion with the old
/// key and an insertion with the new key.
private struct Rekeyings {
  enum Fate {
    /// The row is gone.
    case deleted
    /// The row now has the key of the insertion with this index.
    case rekeyed(Int)
    /// The row may be gone or have another key.
    case unknown
  }

  private var fates: [Int: Fate] = [:]

  /// Finds pairs of a deletion and an insertion in one table that are equal in all columns except
  /// the key. If a table has insertions, and a deletion matches none or several of them, the fate
  /// of the deleted row is unknown.
  init(of changes: [AnyLogChange]) {
    struct Content: Hashable {
      let table: String
      let values: [DatabaseValue?]
    }
    func content(_ change: AnyLogChange, _ values: [DatabaseValue?]) -> Content {
      let others = change.shape.columns.indices.filter { !change.shape.key.contains($0) }
      return Content(table: change.table.lowercasedASCII, values: others.map { values[$0] })
    }
    var deleted: [Content: [Int]] = [:]
    var inserted: [Content: [Int]] = [:]
    for (index, change) in changes.enumerated() {
      switch change.kind {
      case .deleted: deleted[content(change, change.oldValues), default: []].append(index)
      case .inserted: inserted[content(change, change.newValues), default: []].append(index)
      case .updated: break
      }
    }
    let tables = Set(inserted.keys.map(\.table))
    for (content, indices) in deleted where tables.contains(content.table) {
      let others = inserted[content] ?? []
      for index in indices {
        fates[index] = indices.count == 1 && others.count == 1 ? .rekeyed(others[0]) : .unknown
      }
    }
  }

  func fate(of index: Int) -> Fate { fates[index] ?? .deleted }
}
