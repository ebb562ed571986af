import SQLCore

/// The place of a column: among all columns of its table, and among those that are stored.
struct ColumnPlace {
  let declared: Int
  let stored: Int
}

/// Which of the two places the pre-update hook counts by.
///
/// For tables with columns that are calculated on reading, the versions of SQLite differ, and so do
/// tables with and without rowid, and old and new values. The convention is found out once per
/// process, with a table in memory.
struct HookConvention: Sendable {
  enum Numbering: Sendable { case declared, stored }

  private struct Case: Hashable {
    let kind: PreUpdateEvent.Kind
    let isOld: Bool
    let hasRowID: Bool
  }

  private var numberings: [Case: Numbering] = [:]

  static let current = HookConvention()

  /// Returns the index by which the hook knows a column.
  func index(
    of place: ColumnPlace, kind: PreUpdateEvent.Kind, isOld: Bool, hasRowID: Bool
  ) -> Int {
    guard place.declared != place.stored else { return place.stored }
    let numbering = numberings[Case(kind: kind, isOld: isOld, hasRowID: hasRowID)] ?? .stored
    return numbering == .stored ? place.stored : place.declared
  }

  private init() {
    // Assumes the documented order, that of storage, if the detection fails.
    try? detect(hasRowID: true)
    try? detect(hasRowID: false)
  }

  /// Changes a row whose calculated column comes first, and notes at which index the hook reports
  /// the others.
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

/// An observer that finds out at which index the hook has the column `marker`, which is declared
/// third and stored second.
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
