import SQLCore

/// The two positions of a column: among all columns of its table, and among the stored columns.
struct ColumnPlace {
  let declared: Int
  let stored: Int
}

/// The numbering that the pre-update hook uses for the columns of a table: it counts all columns,
/// or only the stored columns.
///
/// The two numberings differ if the table has VIRTUAL generated columns. The convention depends on
/// the version of SQLite, on whether the table has rowids, and on whether the value is old or new.
/// It is detected once per process, with a table in memory.
struct HookConvention: Sendable {
  enum Numbering: Sendable { case declared, stored }

  private struct Case: Hashable {
    let kind: PreUpdateEvent.Kind
    let isOld: Bool
    let hasRowID: Bool
  }

  private var numberings: [Case: Numbering] = [:]

  static let current = HookConvention()

  /// Returns the number that the hook uses for a column.
  func index(
    of place: ColumnPlace, kind: PreUpdateEvent.Kind, isOld: Bool, hasRowID: Bool
  ) -> Int {
    guard place.declared != place.stored else { return place.stored }
    let numbering = numberings[Case(kind: kind, isOld: isOld, hasRowID: hasRowID)] ?? .stored
    return numbering == .stored ? place.stored : place.declared
  }

  private init() {
    // If the detection fails, the documented numbering is used, which counts the stored columns.
    try? detect(hasRowID: true)
    try? detect(hasRowID: false)
  }

  /// Detects the convention: changes a row of a table whose first column is calculated, and notes
  /// how the hook numbers the other columns.
  private mutating func detect(hasRowID: Bool) throws {
    let connection = try Connection()
    try connection.execute(
      """
      CREATE TABLE probe (
        calculated INT GENERATED ALWAYS AS (marker + 1) VIRTUAL,
        key TEXT PRIMARY KEY NOT NULL,
        marker INT
      ) \(unsafe: hasRowID ? "" : "WITHOUT ROWID")
      """)
    let observer = Probe()
    let core = try connection.use()
    try core.setObserver(observer)
    try connection.execute("INSERT INTO probe (key, marker) VALUES ('k', 100)")
    try connection.execute("UPDATE probe SET marker = 200")
    try connection.execute("DELETE FROM probe WHERE key = 'k'")
    try core.setObserver(nil)
    for (seen, numbering) in observer.found {
      numberings[Case(kind: seen.kind, isOld: seen.isOld, hasRowID: hasRowID)] = numbering
    }
  }
}

/// An observer that detects how the hook numbers the column `marker`. Counted from 0, the column is
/// number 2 of all columns, and number 1 of the stored columns.
private final class Probe: StatementObserver {
  struct Seen: Hashable {
    let kind: PreUpdateEvent.Kind
    let isOld: Bool
  }

  private(set) var found: [Seen: HookConvention.Numbering] = [:]

  func rowWillChange(_ event: borrowing PreUpdateEvent) -> Bool {
    let kind = event.kind
    if kind != .insert {
      let marker: DatabaseValue = kind == .update ? 100 : 200
      found[Seen(kind: kind, isOld: true)] =
        event.oldDatabaseValue(at: 1) == marker ? .stored : .declared
    }
    if kind != .delete {
      let marker: DatabaseValue = kind == .insert ? 100 : 200
      found[Seen(kind: kind, isOld: false)] =
        event.newDatabaseValue(at: 1) == marker ? .stored : .declared
    }
    return true
  }

  func statementWillRun(_ statement: StatementPointer, on core: ConnectionCore) {}
  func statementDidRun(_ statement: StatementPointer, failed: Bool, on core: ConnectionCore) {}
  func sharedWriteDidEnd(on core: ConnectionCore) {}
  func commitHookDidFire() {}
  func rollbackHookDidFire() {}
}

/// The numbers that the hook uses for the columns of a table. There is one list for inserted rows,
/// one for deleted rows, and two for updated rows: for their old and for their new values.
///
/// The lists are in unmanaged memory, because they are read once or twice for each row and
/// reference counting would be slow. The owner of this value calls `free()`.
///
/// `@unchecked Sendable`: the lists never change.
struct HookIndices: @unchecked Sendable {
  typealias Sources = UnsafeBufferPointer<RecordedValues.Source>

  private let afterInsert: Sources
  private let beforeUpdate: Sources
  private let afterUpdate: Sources
  private let beforeDelete: Sources

  init(of columns: [TrackedTable.RecordedColumn], hasRowID: Bool) {
    func sources(_ kind: PreUpdateEvent.Kind, isOld: Bool) -> Sources {
      let sources = UnsafeMutableBufferPointer<RecordedValues.Source>.allocate(
        capacity: columns.count)
      _ = sources.initialize(
        from: columns.map { column in
          RecordedValues.Source(
            index: HookConvention.current.index(
              of: column.place, kind: kind, isOld: isOld, hasRowID: hasRowID),
            isReal: column.isReal, mayBeMissing: column.mayBeMissing)
        })
      return Sources(sources)
    }
    afterInsert = sources(.insert, isOld: false)
    beforeUpdate = sources(.update, isOld: true)
    afterUpdate = sources(.update, isOld: false)
    beforeDelete = sources(.delete, isOld: true)
  }

  func free() {
    for sources in [afterInsert, beforeUpdate, afterUpdate, beforeDelete] { sources.deallocate() }
  }

  func before(_ kind: PreUpdateEvent.Kind) -> Sources {
    kind == .update ? beforeUpdate : beforeDelete
  }

  func after(_ kind: PreUpdateEvent.Kind) -> Sources {
    kind == .update ? afterUpdate : afterInsert
  }
}

/// The recorded columns to which an UPDATE of a table assigns values. In all other columns, the new
/// row has the values of the old row.
final class AssignedColumns {
  /// The columns in unmanaged memory, so that they can be read for each row without reference
  /// counting. Their owner frees the memory.
  struct Columns: BitwiseCopyable {
    /// The positions of the assigned columns among the recorded columns.
    let places: UnsafeBufferPointer<Int>
    /// Whether the UPDATE assigns a column of the key.
    let includesKey: Bool
  }

  /// The identity of an UPDATE statement and of its table. It consists of addresses in memory. The
  /// addresses are valid as long as the `AssignedColumns` object exists, because this object keeps
  /// the assignments and the table alive.
  struct Identity: BitwiseCopyable, Equatable {
    /// The address in memory of the statement's list of assigned columns.
    let assignments: UnsafeRawPointer
    let table: ObjectIdentifier
  }

  private let assignments: [ColumnDependency]
  private let table: TrackedTable
  let identity: Identity
  /// Nil if the UPDATE assigns no column of the table. The UPDATE then changes a virtual table,
  /// which writes the rows of this table by a statement that is not known.
  let columns: Columns?

  init(_ assignments: [ColumnDependency], at address: UnsafeRawPointer, of table: TrackedTable) {
    self.assignments = assignments
    self.table = table
    identity = Identity(assignments: address, table: ObjectIdentifier(table))
    var names: Set<String> = []
    for assignment in assignments
    where QualifiedTableName(schema: assignment.database, assignment.table) == table.name {
      names.insert(assignment.column.lowercasedASCII)
    }
    guard !names.isEmpty else {
      columns = nil
      return
    }
    let places = table.names.places(of: names)
    let memory = UnsafeMutableBufferPointer<Int>.allocate(capacity: places.count)
    _ = memory.initialize(from: places)
    columns = Columns(
      places: UnsafeBufferPointer(memory),
      includesKey: table.names.keys.contains { names.contains($0.lowercasedASCII) })
  }

  deinit {
    columns?.places.deallocate()
  }

  /// Returns whether this object was made from equal assignments and the same table.
  func isOf(_ assignments: [ColumnDependency], _ table: TrackedTable) -> Bool {
    table === self.table && assignments == self.assignments
  }
}
