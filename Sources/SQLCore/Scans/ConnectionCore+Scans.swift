import CSQLite

/// What was told already, by the connections of all databases that were opened with one
/// configuration.
final class KnownScans: Sendable {
  private struct Key: Hashable {
    let database: String
    let schemaVersion: Int
    let sql: String
  }

  private let keys = Lock<Set<Key>>([])
  /// Beyond it, all is forgotten: of what is made anew each time, there is no end.
  private static let capacity = 10_000

  /// Notes a statement; false where it was noted before.
  func insert(_ sql: String, of database: String, version: Int) -> Bool {
    keys.withLock { keys in
      if keys.count >= Self.capacity { keys.removeAll() }
      return keys.insert(Key(database: database, schemaVersion: version, sql: sql)).inserted
    }
  }
}

extension ConnectionCore {
  /// Looks whether a statement that ended went through too many rows, and tells of it.
  ///
  /// Only called where somebody wants to be told.
  func noteScan(by statement: StatementPointer) {
    let handle = statement.handle
    let steps =
      sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_FULLSCAN_STEP, 0)
      &+ sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_AUTOINDEX, 0)
    // The counters go on, unless the user begins them anew.
    let before = statement.pointee.scannedRows
    statement.pointee.scannedRows = steps
    let count = Int(steps >= before ? steps &- before : steps)
    guard count > configuration.maximumScannedRows, let tell = configuration.onTableScan,
      !statement.pointee.effects.mayChangeTables, let sql = statement.sql
    else { return }
    // What runs here is not looked at.
    state.pointee.watchesScans = false
    defer { state.pointee.watchesScans = true }
    // A report that cannot be made is not worth an error of the statement, which ended well.
    let scan = try? scan(
      by: [sql, expandedText(handle) ?? sql], readsOnly: statement.pointee.isReadOnly,
      rowCount: count)
    if let scan { state.callingOut { _ in tell(scan) } }
  }

  /// - Parameter texts: the SQL, and with values in the place of its parameters.
  ///
  ///   The planner looks at values for LIKE alone; in the text, they are constants to it, with which
  ///   whole conditions may go. So the first is asked, and the second where that has no answer.
  private func scan(by texts: [String], readsOnly: Bool, rowCount: Int) throws -> TableScan? {
    let version = try integer(pragma: "-- looks into the schema\nPRAGMA schema_version")
    let place = sqlite3_db_filename(handle, "main").map { String(cString: $0) } ?? ""
    let database = place.isEmpty ? "\(handle)" : place
    guard configuration.knownScans.insert(texts[0], of: database, version: version) else {
      return nil
    }
    var advisor = try? IndexAdvisor(SchemaCopy(of: self), for: self)
    var scanned: [String] = []
    for text in texts where scanned.isEmpty {
      scanned = (try? advisor?.copy.scannedTables(by: text)) ?? []
    }
    // Asking how it would write, SQLite forgets how many rows were written last.
    if scanned.isEmpty, readsOnly { scanned = try scannedTables(by: texts[0]) }
    var tables: [String] = []
    for table in scanned where !tables.contains(table) {
      if !table.hasPrefix("sqlite_"), try isLarge(table) { tables.append(table) }
    }
    guard !tables.isEmpty else { return nil }
    advisor?.largeTables = tables
    var indexes: [SuggestedIndex] = []
    for text in texts where indexes.isEmpty { indexes = advisor?.indexes(for: text) ?? [] }
    return TableScan(sql: texts[0], tables: tables, rowCount: rowCount, indexes: indexes)
  }

  /// Whether a table has more rows than may be gone through.
  private func isLarge(_ table: String) throws -> Bool {
    let limit = configuration.maximumScannedRows
    let count = try integer(
      pragma: "-- counts as far as it matters\nSELECT count(*) FROM (SELECT 1 FROM "
        + "\(Identifier(table).quoted) LIMIT \(max(0, limit)) + 1)")
    return count > limit
  }

  /// The tables that a statement would go through row by row, also to make an index for the
  /// occasion; each as often as it does, by its name.
  ///
  /// EXPLAIN tells which steps of the program count as such, and of which tree. EXPLAIN QUERY PLAN
  /// has the words for people, with aliases in the place of names.
  func scannedTables(by sql: String) throws -> [String] {
    var tables: [Int: String] = [:]
    try forEachRow(of: "SELECT rootpage, tbl_name FROM main.sqlite_schema WHERE rootpage > 0") {
      tables[$0.integer(0)] = $0.text(1)
    }
    var cursors: [Int: String] = [:]
    var scanned: [String] = []
    try forEachRow(of: "EXPLAIN " + sql) { row in
      switch row.text(1) {
      // The program of a trigger counts its cursors anew.
      case "Init": cursors = [:]
      case "OpenRead", "OpenWrite", "ReopenIdx":
        cursors[row.integer(2)] = row.integer(4) == 0 ? tables[row.integer(3)] : nil
      case "Next", "Prev":
        let kind = Int32(truncatingIfNeeded: row.integer(6))
        guard kind == SQLITE_STMTSTATUS_FULLSCAN_STEP || kind == SQLITE_STMTSTATUS_AUTOINDEX,
          let table = cursors[row.integer(2)]
        else { return }
        scanned.append(table)
      default: break
      }
    }
    return scanned
  }
}

/// A row of a statement of the library's own.
struct PlainRow {
  fileprivate let handle: OpaquePointer

  func integer(_ index: Int32) -> Int { Int(sqlite3_column_int64(handle, index)) }
  func text(_ index: Int32) -> String {
    sqlite3_column_text(handle, index).map { String(cString: $0) } ?? ""
  }
}

extension ConnectionCore {
  /// Reads the rows of a statement of the library's own, without the cache.
  func forEachRow(of sql: String, _ body: (PlainRow) throws -> Void) throws {
    let statement = try compileOne("-- looks into the schema\n" + sql).handle
    defer { sqlite3_finalize(statement) }
    while true {
      let code = sqlite3_step(statement)
      if code == SQLITE_DONE { return }
      guard code == SQLITE_ROW else { throw failure(code, sql: sql) }
      try body(PlainRow(handle: statement))
    }
  }
}
