import QueryDSL
import SQLCore

extension Connection {
  /// Returns the position of the newest finished entry of the change log, even if the entry was
  /// purged; `.start` if there never was one.
  ///
  /// To follow the changes of some tables, first copy the tables and call this method in the same
  /// read. Later, read the entries after the returned position. Throws `LogError.noLog` if no
  /// migration has created the log. Runs two statements.
  public func logPosition() throws -> LogPosition {
    try withLog {
      let number =
        try row(
          """
          SELECT max(coalesce((SELECT max("sequence") FROM "apus_log_entry" WHERE NOT "isOpen"), 0), \
          "purged") FROM "apus_log"
          """)?.get(Int64.self, at: 0) ?? 0
      return try logPosition(ofEntry: number)
    }
  }

  /// Returns the entries of the change log after a position, in order.
  ///
  /// ```swift
  /// let entries = try connection.logEntries(after: position, limit: 100)
  /// ```
  /// Unfinished entries are not included: the entry of the running write, and an entry to which
  /// another program may still add.
  ///
  /// Throws `LogError.expired` if entries after the position were purged,
  /// `LogError.unknownPosition` if the log does not have the entry of the position, and
  /// `LogError.noLog` if no migration has created the log. Runs at most six statements.
  public func logEntries(
    after position: LogPosition = .start, limit: Int = 100
  ) throws -> [LogEntry] {
    try logEntries(after: position, limit: limit, withMarks: false)
  }

  /// - Parameter withMarks: whether to include the marks of applied changes from other databases;
  ///   see `LogNetting.Kind`.
  func logEntries(
    after position: LogPosition, limit: Int, withMarks: Bool
  ) throws -> [LogEntry] {
    try withLog {
      // If entries were purged, the position `.start` has expired as well, because a reader at this
      // position has missed the purged entries.
      try requireLogPosition(position)
      return try logEntries(afterNumber: position.number, limit: limit, withMarks: withMarks)
    }
  }

  /// Returns the entries after an entry number. The number is not checked, because the caller has
  /// just read it from the file.
  func logEntries(
    afterNumber number: Int64, limit: Int, withMarks: Bool
  ) throws -> [LogEntry] {
    let heads = try logHeads(after: number, limit: max(limit, 0))
    guard let first = heads.map(\.firstChange).min(), let last = heads.last?.sequence else {
      return []
    }
    var netting = try logNettings(from: first, after: last)
    let epochs = try logEpochs(from: number, through: last)
    return heads.map { head in
      head.entry(
        at: LogPosition(head.sequence, among: epochs),
        netting.removeValue(forKey: head.sequence)?.changes(withMarks: withMarks) ?? [])
    }
  }

  /// Sets the author of the present write in the change log. The write gets an entry even if it
  /// changes no logged table.
  ///
  /// ```swift
  /// try await db.write(label: "Rename") { tx in
  ///   try tx.setLogAuthor("ada")
  ///   try tx.update(post)
  /// }
  /// ```
  /// Throws `LogError.noLog` if no migration has created the log. Runs two statements.
  public func setLogAuthor(_ author: String) throws {
    let core = try use()
    try withLog {
      try beginLogEntry()
      core.writeAuthor = author
      try execute(
        """
        UPDATE "apus_log_entry" SET "author" = \(author) \
        WHERE "sequence" = \(unsafe: LogTables.newest)
        """)
    }
  }

  /// Sets the author of the present write. Observers receive the author. If the write has an entry
  /// in the change log, the author is stored there, too.
  func noteAuthor(_ author: String) throws {
    try use().writeAuthor = author
    do {
      try withLog {
        try execute(
          """
          UPDATE "apus_log_entry" SET "author" = \(author) \
          WHERE "sequence" = \(unsafe: LogTables.newest) AND "isOpen"
          """)
      }
    } catch LogError.noLog {}
  }

  func withLog<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as DatabaseError where error.message.hasPrefix("no such table: apus_log") {
      throw LogError.noLog
    }
  }

  // MARK: Reading

  private func logHeads(after position: Int64, limit: Int) throws -> [LogHead] {
    var heads: [LogHead] = []
    // Tables that an older version of the library created do not have the column `originEpoch`.
    var epochColumn: Int?
    try forEach(
      """
      SELECT * FROM "apus_log_entry" \
      WHERE "sequence" > \(position) AND NOT "isOpen" ORDER BY "sequence" LIMIT \(limit)
      """
    ) { row in
      if heads.isEmpty { epochColumn = row.columnNames.firstIndex(of: "originEpoch") }
      heads.append(try LogHead(row, epochColumn: epochColumn))
    }
    return heads
  }

  /// Reads the logged changes from the change with the number `first` to the end of the entry with
  /// the number `last`. Returns them by the numbers of their entries.
  private func logNettings(
    from first: Int64, after last: Int64
  ) throws -> [Int64: LogNetting] {
    let shapes = try logShapes()
    var nettings: [Int64: LogNetting] = [:]
    try forEach(
      """
      SELECT * FROM "apus_log_change" WHERE "id" >= \(first) AND "id" < coalesce((SELECT \
      "firstChange" FROM "apus_log_entry" WHERE "sequence" > \(last) ORDER BY "sequence" LIMIT 1), \
      9223372036854775807) ORDER BY "id"
      """
    ) { row in
      let entry = try row.get(Int64.self, at: 1)
      let number = try row.get(Int64.self, at: 2)
      guard entry <= last, let shape = shapes[number],
        let kind = LogNetting.Kind(rawValue: try row.get(String.self, at: 3))
      else { return }
      let values = try (0..<shape.columns.count * 2).map { try row.databaseValue(at: 4 + $0) }
      nettings[entry, default: LogNetting()].add(kind, shape, values)
    }
    return nettings
  }

  /// Returns the rows whose keys an UPDATE may have changed. Each row is contained twice, with its
  /// former key and with its new key. The trigger of the log writes a deletion and, directly after
  /// it, an insertion for such an UPDATE. A DELETE and an INSERT that follow each other look the
  /// same, so their rows are returned, too. Returns nil if the entry was purged.
  func rekeyedRows(inEntry entry: Int64) throws -> Set<ChangedRow>? {
    guard entry > (try purgedLogPosition()) else { return nil }
    var rows: Set<ChangedRow> = []
    for shape in try logShapes().values {
      let names = shape.key.map { LogTables.valueColumns($0) }
      let keys = names.map { "d.\"\($0.old)\"" } + names.map { "i.\"\($0.new)\"" }
      guard !keys.isEmpty else { continue }
      try forEach(
        """
        SELECT \(unsafe: keys.joined(separator: ", ")) FROM "apus_log_change" AS d \
        JOIN "apus_log_change" AS i ON i."id" = d."id" + 1 AND i."entry" = d."entry" \
        AND i."shape" = d."shape" AND i."kind" = 'insert' \
        WHERE d."id" >= (SELECT "firstChange" FROM "apus_log_entry" WHERE "sequence" = \(entry)) \
        AND d."id" < coalesce((SELECT "firstChange" FROM "apus_log_entry" \
        WHERE "sequence" > \(entry) ORDER BY "sequence" LIMIT 1), 9223372036854775807) \
        AND d."entry" = \(entry) AND d."shape" = \(shape.id) AND d."kind" = 'delete'
        """
      ) { row in
        let values = try keys.indices.map { try row.databaseValue(at: $0) }
        let (old, new) = (Array(values.prefix(names.count)), Array(values.suffix(names.count)))
        guard old != new else { return }
        for key in [old, new] { rows.insert(ChangedRow(table: shape.foldedTable, key: key)) }
      }
    }
    return rows
  }

  func logShapes() throws -> [Int64: LogShape] {
    var shapes: [Int64: LogShape] = [:]
    try forEach(#"SELECT "id", "table", "columns", "key" FROM "apus_log_shape""#) { row in
      let id = try row.get(Int64.self, at: 0)
      shapes[id] = try LogShape(
        id: id, table: try row.get(String.self, at: 1), columns: try row.get(String.self, at: 2),
        key: try row.get(String.self, at: 3))
    }
    return shapes
  }
}

/// A row of `apus_log_entry`.
private struct LogHead {
  let sequence: Int64
  let time: Int64
  let firstChange: Int64
  let schemaVersion: Int?
  let label: String?
  let author: String?
  let origin: LogEntry.Origin?
  let undoes: Int64?
  let gap: String?

  init(_ row: borrowing StatementRow, epochColumn: Int?) throws {
    sequence = try row.get(at: 0)
    time = try row.get(at: 1)
    firstChange = try row.get(at: 2)
    schemaVersion = try row.get(at: 4)
    label = try row.get(at: 5)
    author = try row.get(at: 6)
    let database = try row.get(String?.self, at: 7)
    let number = try row.get(Int64?.self, at: 8) ?? 0
    undoes = try row.get(at: 9)
    gap = try row.get(at: 10)
    let epoch = try epochColumn.flatMap { try row.get(Int64?.self, at: $0) } ?? 0
    origin = database.map {
      LogEntry.Origin(
        database: $0, position: LogPosition(Int64(clamping: number.magnitude), in: epoch),
        isLate: number < 0)
    }
  }

  func entry(at position: LogPosition, _ changes: [AnyLogChange]) -> LogEntry {
    LogEntry(
      position: position, time: time, label: label, author: author, origin: origin,
      schemaVersion: schemaVersion, undoneSequence: undoes, gap: gap, changes: changes)
  }
}

extension WriteFrame {
  /// Returns the code that runs before and after each write, so that each write gets its own entry
  /// in the change log.
  ///
  /// The triggers of the log add each change to the open entry, or begin an entry if none is open.
  /// They cannot see where a transaction ends, so this code ends the entries. Before a write, it
  /// ends an entry that another program left open. After the write, it ends the entry of the write
  /// itself.
  ///
  /// The first write after the file was opened or replaced begins a new epoch (see `LogPosition`).
  static func changeLog(of tables: [TableDefinition]) -> WriteFrame {
    WriteFrame(for: PresentNames(of: tables)) { core in
      try ignoringMissingLog { try close(on: core) }
    } end: { core in
      try ignoringMissingLog {
        guard let label = core.writeLabel else { return try close(on: core) }
        try core.lend().execute(
          """
          UPDATE "apus_log_entry" SET "isOpen" = 0, "label" = coalesce("label", \(label)) \
          WHERE "sequence" = \(unsafe: LogTables.newest) AND "isOpen"
          """)
      }
    }
  }

  private static func close(on core: ConnectionCore) throws {
    try core.run(cached: LogTables.closing) { try core.noteLogEpoch($0) }
  }

  /// Runs a closure, and ignores the error that the file has no log. The log is missing before the
  /// first migration, and after the file was replaced by an older copy.
  private static func ignoringMissingLog(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as DatabaseError
      where error.code == .error && error.message.hasPrefix("no such table")
    {}
  }
}

/// The present names of renamed tables and columns, by their former names. They come from the
/// `Renamed` elements in the schemas of the models.
struct PresentNames: Sendable {
  /// The present names of tables. The keys are former names in lower case.
  private var tables: [String: String] = [:]
  /// The present names of columns. The outer key is the name of the table, and the inner key is the
  /// former name of the column, both in lower case.
  private var columns: [String: [String: String]] = [:]

  init(of declared: [TableDefinition] = []) {
    for table in declared {
      for former in table.formerNames { tables[former.lowercasedASCII] = table.name }
      for (name, from) in table.renamedColumns {
        columns[table.name.lowercasedASCII, default: [:]][from.lowercasedASCII] = name
      }
    }
  }

  func table(_ former: String) -> String? { tables[former.lowercasedASCII] }

  /// Returns the name that a column has after all renamings; nil if it was not renamed.
  func column(_ former: String, of table: String) -> String? {
    let names = columns[table.lowercasedASCII] ?? [:]
    var name = names[former.lowercasedASCII]
    // A column may have been renamed several times, so the names are followed to the last one.
    for _ in names { name = name.flatMap { names[$0.lowercasedASCII] } ?? name }
    return name
  }
}

extension ConnectionCore {
  /// The present names of the tables and columns that the models of this database have renamed.
  var presentNames: PresentNames { frameContext as? PresentNames ?? PresentNames() }
}
