import SQLCore

/// The log of the current transaction. It has the recorded rows, the events of whole tables, and
/// the positions after which a rollback removes rows and events.
///
/// If there are more than `maximumRows` rows, the log keeps only the tables of the rows.
struct RecordedRows {
  /// An event of a table as a whole.
  struct TableNote {
    let table: QualifiedTableName
    let event: TableEvent
    let position: Int
  }

  /// The end of one of the writes that share the transaction.
  struct Boundary {
    let label: String?
    let author: String?
    let position: Int
  }

  let maximumRows: Int
  private(set) var rows: [RecordedRow] = []
  /// The values of the rows.
  private(set) var values = RecordedValues(encoding: .utf8)
  /// The encoding in which the database stores text.
  var encoding = TextEncoding.utf8 {
    didSet {
      if encoding != oldValue, rows.isEmpty { values = RecordedValues(encoding: encoding) }
    }
  }
  private(set) var notes: [TableNote] = []
  private(set) var boundaries: [Boundary] = []
  /// The number of rows and events so far. Savepoints and the ends of writes refer to it.
  private(set) var position = 0
  private var isFull = false
  private var savepoints: [(name: String, mark: Int)] = []
  private var running: [(statement: StatementPointer, mark: Int)] = []

  init(maximumRows: Int) {
    self.maximumRows = max(0, maximumRows)
  }

  var isEmpty: Bool { rows.isEmpty && notes.isEmpty }

  /// Appends a row. Returns false if there are too many rows. The caller must then call
  /// `keepOnlyTables(of:among:)`.
  ///
  /// This method does not call `keepOnlyTables(of:among:)` itself, because it would need the array
  /// of tables as a parameter, and the array would be retained for each row.
  @inline(__always)
  mutating func append(_ row: RecordedRow) -> Bool {
    guard !isFull else { return false }
    var row = row
    row.position = position
    rows.append(row)
    position += 1
    return rows.count <= maximumRows
  }

  /// Drops the rows and keeps only their tables. This is called if there are too many rows.
  ///
  /// - Parameters:
  ///   - row: the row for which `append` returned false.
  ///   - tables: the tracked tables.
  mutating func keepOnlyTables(of row: RecordedRow, among tables: [TrackedTable]) {
    guard !isFull else { return note(.tableChanged, tables[row.table].name) }
    isFull = true
    // Notes each table at the position of its first change, so that the note remains after a
    // rollback to a later position.
    for row in rows { note(.tableChanged, tables[row.table].name, at: row.position) }
    rows = []
    values.truncate(to: 0)
  }

  /// Notes an event of a table that is not recorded row by row.
  mutating func note(_ event: TableEvent, _ table: QualifiedTableName) {
    note(event, table, at: position)
    position += 1
  }

  /// Notes an event that happened at the given position of the log. Does nothing if the write
  /// already has the same event of the table at this position or before it. An event at a later
  /// position is not enough, because a rollback to a savepoint may remove it.
  mutating func note(_ event: TableEvent, _ table: QualifiedTableName, at position: Int) {
    let start = boundaries.last { $0.position <= position }?.position ?? 0
    let isKnown = notes.contains { note in
      note.table == table && note.event == event && (start...position).contains(note.position)
    }
    guard !isKnown else { return }
    notes.append(TableNote(table: table, event: event, position: position))
  }

  /// Removes all rows and events, after the end of the transaction.
  mutating func removeAll() {
    guard position > 0 || !boundaries.isEmpty || !savepoints.isEmpty else { return }
    // Memory that only a large transaction needed is released.
    rows.removeAll(keepingCapacity: rows.capacity < 1_024)
    // If a delivered commit shares the values, the log gets a new buffer.
    if isKnownUniquelyReferenced(&values) {
      values.truncate(to: 0)
    } else {
      values = RecordedValues(encoding: encoding)
    }
    notes.removeAll()
    boundaries.removeAll()
    savepoints.removeAll(keepingCapacity: true)
    position = 0
    for index in running.indices { running[index].mark = 0 }
    isFull = false
    didCut()
  }

  // MARK: Statements

  var isStatementRunning: Bool { !running.isEmpty }

  /// The running statement; nil if no statement runs, or if several do.
  var onlyStatement: StatementPointer? { running.count == 1 ? running[0].statement : nil }

  mutating func begin(_ statement: StatementPointer) {
    running.append((statement, position))
  }

  /// Notes that a statement ended. Returns the position that the log had when the statement began.
  mutating func end(_ statement: StatementPointer) -> Int? {
    if let last = running.last, last.statement == statement {
      running.removeLast()
      return last.mark
    }
    guard let index = running.lastIndex(where: { $0.statement == statement }) else { return nil }
    return running.remove(at: index).mark
  }

  mutating func cut(to mark: Int) {
    while let last = rows.last, last.position >= mark {
      rows.removeLast()
      values.truncate(to: last.start)
    }
    notes.removeAll { $0.position >= mark }
    didCut()
  }

  func rows(since mark: Int) -> ArraySlice<RecordedRow> {
    var start = rows.count
    while start > 0, rows[start - 1].position >= mark { start -= 1 }
    return rows[start...]
  }

  func rows(from start: Int, to end: Int) -> ArraySlice<RecordedRow> {
    // Usually all rows belong to one write.
    if start == 0, end > position { return rows[...] }
    return rows[firstRow(at: start)..<firstRow(at: end)]
  }

  /// Returns the index of the first row at the given position of the log or after it.
  private func firstRow(at position: Int) -> Int {
    rows.partitioningIndex { $0.position >= position }
  }

  // MARK: Writes and savepoints

  /// Notes the end of a write that shares the transaction with other writes.
  mutating func endWrite(label: String?, author: String?) {
    boundaries.append(Boundary(label: label, author: author, position: position))
  }

  /// Updates the log after a statement opened a savepoint, released a savepoint, or rolled back to
  /// a savepoint. Returns true after a rollback, which may have undone changes.
  mutating func apply(_ action: SavepointAction) -> Bool {
    switch action {
    case .open(let name):
      savepoints.append((name, position))
    case .release(let name):
      guard let index = savepoints.lastIndex(where: { $0.name == name }) else { return false }
      savepoints.removeSubrange(index...)
    case .rollBack(let name):
      // ROLLBACK TO closes the later savepoints, but not the savepoint itself.
      guard let index = savepoints.lastIndex(where: { $0.name == name }) else { return false }
      cut(to: savepoints[index].mark)
      savepoints.removeSubrange((index + 1)...)
      return true
    }
    return false
  }
}

/// A change of one row by a statement, as the hook reported it. The values are in the
/// `RecordedValues` of the log.
struct RecordedRow {
  /// The index of the table among the tracked tables.
  let table: Int
  /// The number of bytes in the log's `values` before this row.
  let start: Int
  /// The key before the change, in the form of `NettedRow.key`. `newKey` is the key after the
  /// change. Both are equal if the key did not change.
  var oldKey: Int64 = 0
  var newKey: Int64 = 0
  /// The offset in the log's `values` of the row before the change; −1 for an insertion.
  var old = -1
  /// The offset in the log's `values` of the row after the change; −1 for a deletion.
  var new = -1
  /// Whether a trigger or a foreign-key action made the change.
  var isNested = false
  /// Whether the new values of the row are not known, as after a write to an incremental BLOB. The
  /// row still exists.
  var isUnknown = false
  /// The log's position when the row was appended.
  var position = 0
}

// MARK: Invariants

extension RecordedRows {
  /// If invariant checks are on, checks the last row.
  @inline(__always)
  func didAppend(to tables: [TrackedTable]) {
    #if DEBUG
      InvariantChecks.run { try checkInvariants(ofRows: rows.indices.suffix(1), of: tables) }
    #endif
  }

  @inline(__always)
  private func didCut() {
    #if DEBUG
      InvariantChecks.run { try checkOrder(ofRows: rows.indices) }
    #endif
  }

  #if DEBUG
    /// Throws if the rows are not in order, or if the values or the key of a row are not within the
    /// log's `values`.
    ///
    /// - Parameter tables: the tracked tables.
    func checkInvariants(of tables: [TrackedTable]) throws {
      try checkInvariants(ofRows: rows.indices, of: tables)
      let marks = running.map(\.mark) + savepoints.map(\.mark) + boundaries.map(\.position)
      try InvariantChecks.require(
        marks.allSatisfy { (0...position).contains($0) }
          && notes.allSatisfy { (0..<position).contains($0.position) },
        "the log is marked after its end, \(position)")
    }

    private func checkInvariants(ofRows indices: Range<Int>, of tables: [TrackedTable]) throws {
      try checkOrder(ofRows: indices)
      for row in rows[indices] {
        try InvariantChecks.require(
          tables.indices.contains(row.table) && (row.old >= 0 || row.new >= 0),
          "an event has no table or no state")
        let table = tables[row.table]
        for state in [row.old, row.new] where state >= 0 {
          try InvariantChecks.require(state >= row.start, "a state was recorded before its event")
          try values.checkInvariants(of: state, valueCount: table.recordedCount)
        }
        guard let keyCount = table.names.keyCount else { continue }
        for key in [row.oldKey, row.newKey] {
          try values.checkInvariants(of: Int(key), valueCount: keyCount + 1)
        }
      }
    }

    /// Throws if a row or its values do not come after the previous row.
    private func checkOrder(ofRows indices: Range<Int>) throws {
      try values.checkInvariants()
      for index in indices {
        let row = rows[index]
        let previous = index > 0 ? rows[index - 1] : RecordedRow(table: 0, start: 0, position: -1)
        try InvariantChecks.require(
          previous.position < row.position && row.position < position
            && previous.start <= row.start && row.start <= values.count,
          "the event \(index) of the log is out of order")
      }
    }
  #endif
}
