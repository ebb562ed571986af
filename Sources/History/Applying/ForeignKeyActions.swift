import QueryDSL
import SQLCore

/// The foreign key actions that applied changes require in other tables: ON DELETE for deleted
/// rows, and ON UPDATE for changed keys. Foreign keys are switched off while changes are applied,
/// so these actions run after that.
struct ForeignKeyActions {
  /// A row that was changed or deleted, with the values that it had before.
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
  /// The changed keys of parent rows. The key of this dictionary is the foreign key that refers to
  /// the parent rows, as a position in `foreignKeys.keys`.
  private var moves: [Int: [Move]] = [:]
  private let foreignKeys: ForeignKeyGraph
  /// The changes that cannot be applied, because it is unknown what must happen to the rows that
  /// refer to the changed row. There are two cases:
  ///
  /// - It is unknown whether the row was deleted or got another key.
  /// - The row got another key, and rows still refer to the old key, but the foreign key has no ON
  ///   UPDATE action.
  private(set) var undecided: [(index: Int, failure: ConstraintFailure)] = []

  var isEmpty: Bool { deletions.isEmpty && moves.isEmpty }

  /// Finds the actions.
  ///
  /// - Parameters:
  ///   - former: the rows that were changed or deleted, with the values that they had before.
  ///   - rekeyed: returns the rows whose keys the recorded transaction may have changed by an
  ///     UPDATE; nil if these rows are not known.
  ///   - isOutside: returns whether foreign key actions must run in a table. They do not run in the
  ///     tables of the changes, because the changes already include their effects.
  init(
    after changes: [AnyLogChange], of former: [FormerRow], by foreignKeys: ForeignKeyGraph,
    rekeyed: (() throws -> Set<ChangedRow>?)?, on connection: Connection,
    _ isOutside: (String) throws -> Bool
  ) throws {
    self.foreignKeys = foreignKeys
    var known: Rekeyings?
    func rekeyings() throws -> Rekeyings {
      let rekeyings = try known ?? Rekeyings(of: changes, from: former, rekeyed?())
      known = rekeyings
      return rekeyings
    }
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
        let isGone = former.wasReplaced || change.kind == .deleted
        if isGone {
          guard withChildren[place],
            try key.hasChildren(of: old, isDangling: true, on: connection)
          else { continue }
        }
        let follows = key.onUpdate != .noAction && key.onUpdate != .restrict
        var new: [DatabaseValue]?
        switch former.wasReplaced ? .deleted : try rekeyings().fate(of: former.index, follows) {
        case .deleted:
          deletions.append(Deletion(index: former.index, key: key, values: old))
          continue
        case .kept: new = zip(key.parentColumns, old).map { change.new($0) ?? $1 }
        case .rekeyed(let index): new = try rekeyings().newValues(key.parentColumns, of: index)
        case .unknown: break
        }
        guard new != old else { continue }
        if follows, let new {
          moves[place, default: []].append(Move(index: former.index, old: old, new: new))
          continue
        }
        // If the foreign key has no action, child rows that refer to a missing row are found at the
        // end. But if another row has got the old key, the child rows would refer to this other row
        // without an error.
        let isUndecided =
          isGone
          ? follows
          : try (follows || change.isInverse)
            && key.hasChildren(of: old, butNotOf: new, on: connection)
        if isUndecided { undecided.append((former.index, key.failure)) }
      }
    }
  }

  /// Runs the actions, with foreign keys and triggers switched on. If an action violates a
  /// constraint, returns the index of the change that requires the action, and the constraint;
  /// otherwise nil.
  func run(on connection: Connection) throws -> (index: Int, failure: ConstraintFailure)? {
    for (place, moves) in moves.sorted(by: { $0.key < $1.key }) {
      let key = foreignKeys.keys[place]
      // One statement handles at most this number of changed keys, so that it stays far below
      // SQLite's limit for parameters.
      let limit = 4_000 / key.columns.count
      // If there are several statements, a child row that one of them has changed must not be
      // changed again by the next one. This could happen if the new key of one row is the old key
      // of another.
      if let first = moves.first, moves.count > limit,
        !Set(moves.map(\.old)).isDisjoint(with: moves.map(\.new))
      {
        return (first.index, key.failure)
      }
      var rest = moves[...]
      while let first = rest.first {
        let part = rest.prefix(limit)
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

/// The key of a row that a recorded transaction changed.
struct ChangedRow: Hashable {
  /// The name of the table in lower case.
  let table: String
  let key: [DatabaseValue]
}

/// The rows whose key was changed. For each such row, the changes contain a deletion with the old
/// key and an insertion with the new key. Another row may have had the new key before. In this
/// case, the changes contain an update of the row with the new key, instead of an insertion. The
/// same holds for the old key and the deletion, if another row has the old key now.
private struct Rekeyings {
  enum Fate {
    /// The row is gone.
    case deleted
    /// The row still has its key.
    case kept
    /// The row now has the key of the change with this index.
    case rekeyed(Int)
    /// The row may be gone or have another key.
    case unknown
  }

  private struct Content: Hashable {
    let table: String
    let values: [DatabaseValue?]
  }

  private let changes: [AnyLogChange]
  private let rekeyed: Set<ChangedRow>?
  /// The rows before the changes, by the indices of the changes.
  private var rows: [Int: AppliedRow] = [:]
  /// The changes, by the content of their rows, which is the values of all columns except the key.
  /// In `old`, this is the content before the change, and in `new`, it is the content after the
  /// change.
  private var old: [Content: [Int]] = [:]
  private var new: [Content: [Int]] = [:]
  /// The tables in which rows were inserted or got the keys of other rows.
  private var tables: Set<String> = []

  /// Finds pairs of changes in one table: the row of the second change now has the content that the
  /// row of the first change had before. The content of a row is its values in all columns except
  /// the key.
  ///
  /// - Parameter rekeyed: the rows whose keys may have been changed by an UPDATE; nil if these rows
  ///   are not known. An update of one of these rows may be part of a pair.
  init(
    of changes: [AnyLogChange], from former: [ForeignKeyActions.FormerRow],
    _ rekeyed: Set<ChangedRow>?
  ) {
    self.changes = changes
    self.rekeyed = rekeyed
    for former in former where !former.wasReplaced { rows[former.index] = former.row }
    for (index, change) in changes.enumerated() {
      let mayMove = change.kind != .updated || isRekeyed(index) && rows[index] != nil
      if change.kind != .inserted, mayMove {
        old[content(index, change.oldValues), default: []].append(index)
      }
      if change.kind != .deleted, mayMove {
        new[content(index, change.newValues), default: []].append(index)
        tables.insert(change.shape.foldedTable)
      }
    }
  }

  /// Returns whether the key of a change belongs to a row whose key may have been changed.
  private func isRekeyed(_ index: Int) -> Bool {
    let change = changes[index]
    return rekeyed?.contains(ChangedRow(table: change.shape.foldedTable, key: change.keyValues))
      ?? false
  }

  private func content(_ index: Int, _ values: [DatabaseValue?]) -> Content {
    let (change, row) = (changes[index], rows[index])
    let others = change.shape.columns.indices.filter { !change.shape.key.contains($0) }
    // An update contains only the values that it changes. The other values are taken from the row.
    return Content(
      table: change.shape.foldedTable,
      values: others.map { place in
        values[place] ?? (change.kind == .updated ? row?[change.shape.columns[place]] : nil)
      })
  }

  /// Returns what has happened to a row. Before the changes, this row had the key of the change
  /// `index`.
  ///
  /// - Parameter follows: whether the foreign key has an ON UPDATE action, by which child rows
  ///   follow a changed key. If not, it does not matter which key the row has now.
  func fate(of index: Int, _ follows: Bool) -> Fate {
    let change = changes[index]
    let isUpdate = change.kind == .updated
    guard !isUpdate || isRekeyed(index) else { return .kept }
    guard isUpdate || follows else {
      let mayBeRekeyed = rekeyed == nil ? change.isInverse : isRekeyed(index)
      return mayBeRekeyed ? .unknown : .deleted
    }
    guard isUpdate || tables.contains(change.shape.foldedTable) else { return .deleted }
    let content = content(index, change.oldValues)
    let others = new[content] ?? []
    if old[content]?.count == 1, others.count == 1 { return .rekeyed(others[0]) }
    return rekeyed != nil && !isRekeyed(index) ? .deleted : .unknown
  }

  /// Returns the values that a row has in some columns after its change; nil if a value is not
  /// known.
  func newValues(_ columns: [String], of index: Int) -> [DatabaseValue]? {
    let values = columns.compactMap { changes[index].new($0) ?? rows[index]?[$0] }
    return values.count == columns.count ? values : nil
  }
}
