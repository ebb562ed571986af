import CSQLite

/// A report of a statement that scanned a large table, with the indexes that would prevent the
/// scan.
///
/// ```swift
/// configuration.onTableScan = { scan in print(scan.tables, scan.rowCount, scan.indexes) }
/// ```
///
/// The library passes the report to the closure `Configuration.onTableScan`, which is meant for
/// development.
/// - SeeAlso: <https://www.sqlite.org/queryplanner.html>
public struct TableScan: Hashable, Sendable, CustomStringConvertible {
  /// The SQL of the statement. It has parameters in place of the bound values.
  public let sql: String
  /// The large tables that the statement scans, usually one.
  public let tables: [String]
  /// The number of steps of the statement's scans, plus the number of rows that the statement added
  /// to automatic indexes. Each step moves a scan to its next row. The number covers all tables of
  /// the statement.
  public let rowCount: Int
  /// The indexes that SQLite's planner would use instead of a scan or a sort. Empty if no index
  /// helps. There are several indexes if they save more together than any of them does by itself,
  /// for example for conditions joined by OR, or for joins.
  public let indexes: [SuggestedIndex]

  /// A line with the tables, the number of rows and the SQL, and then a line for each index.
  public var description: String {
    let advice = indexes.isEmpty ? ["  no index would help"] : indexes.map { "  " + $0.sql }
    let names = tables.joined(separator: ", ")
    return (["a scan of \(names) read \(rowCount) rows: \(sql)"] + advice)
      .joined(separator: "\n")
  }
}

/// The statements that were already examined. All databases with the same configuration share this
/// list.
final class KnownScans: Sendable {
  struct Key: Hashable {
    let database: String
    let schemaVersion: Int
    let sql: String
  }

  /// For each statement, the number of rows that it had read when it was last examined. The number
  /// is `Int.max` after the scan of the statement was reported.
  private let rowCounts = Lock<[Key: Int]>([:])
  /// The maximum number of entries. When it is reached, all entries are removed, because a program
  /// that builds new SQL each time would otherwise add entries without end.
  private static let capacity = 10_000

  /// Returns whether to examine a statement that has read this number of rows. A statement that
  /// scanned only small tables is examined again when it reads twice as many rows.
  func shouldExamine(_ key: Key, rowCount: Int) -> Bool {
    rowCounts.withLock { rowCounts in
      if let last = rowCounts[key], rowCount / 2 < last { return false }
      if rowCounts.count >= Self.capacity { rowCounts.removeAll() }
      rowCounts[key] = rowCount
      return true
    }
  }

  /// Records that the scan of a statement is reported. The statement is then not examined again.
  func noteReport(of key: Key) { rowCounts.withLock { $0[key] = .max } }
}

extension ConnectionCore {
  /// Checks whether a statement that has just ended scanned too many rows, and reports it if so.
  ///
  /// This method is called only if `Configuration.onTableScan` is set.
  func noteScan(by statement: StatementPointer) {
    let handle = statement.handle
    let steps =
      sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_FULLSCAN_STEP, 0)
      &+ sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_AUTOINDEX, 0)
    // SQLite adds up the counts of all runs of the statement, unless the user resets the counters.
    let before = statement.pointee.scannedRows
    statement.pointee.scannedRows = steps
    let count = Int(steps >= before ? steps &- before : steps)
    guard count > configuration.maximumScannedRows, let notify = configuration.onTableScan,
      !statement.pointee.effects.mayChangeTables, let sql = statement.sql
    else { return }
    // The check runs statements of its own, whose scans are not checked.
    state.pointee.watchesScans = false
    defer { state.pointee.watchesScans = true }
    // The user's statement has succeeded. It must not fail now because the report cannot be made.
    let scan = try? scan(
      by: [sql, expandedText(handle) ?? sql], readsOnly: statement.pointee.isReadOnly,
      rowCount: count)
    if let scan { state.callingOut { _ in notify(scan) } }
  }

  /// Returns the report of a scan; nil if the scan was reported before, or if no large table was
  /// scanned.
  ///
  /// - Parameter texts: the SQL, and the SQL with its values in place of the parameters.
  ///
  ///   The library tries the second text only if the first text gives no result. SQLite's planner
  ///   can use a constant pattern to choose an index for LIKE. The first text has no values bound,
  ///   so it may miss such an index. The second text is not tried first, because the planner may
  ///   remove a condition that consists only of constants.
  private func scan(by texts: [String], readsOnly: Bool, rowCount: Int) throws -> TableScan? {
    let version = try integer(pragma: "-- looks into the schema\nPRAGMA schema_version")
    let place = sqlite3_db_filename(handle, "main").map { String(cString: $0) } ?? ""
    let database = place.isEmpty ? "\(handle)" : place
    let key = KnownScans.Key(database: database, schemaVersion: version, sql: texts[0])
    guard configuration.knownScans.shouldExamine(key, rowCount: rowCount) else { return nil }
    var advisor = try? IndexAdvisor(SchemaCopy(of: self), for: self)
    var scanned: [String] = []
    for text in texts where scanned.isEmpty {
      scanned = (try? advisor?.copy.scannedTables(by: text)) ?? []
    }
    // EXPLAIN of a statement that writes would reset SQLite's count of changed rows.
    if scanned.isEmpty, readsOnly { scanned = try scannedTables(by: texts[0]) }
    var tables: [String] = []
    for table in scanned where !tables.contains(table) {
      if !table.hasPrefix("sqlite_"), try isLarge(table) { tables.append(table) }
    }
    guard !tables.isEmpty else { return nil }
    advisor?.largeTables = tables
    var isPartial = false
    for text in texts where !isPartial {
      isPartial = advisor?.scansPartialIndexes(by: text) ?? false
    }
    var indexes: [SuggestedIndex] = []
    for text in texts where indexes.isEmpty { indexes = advisor?.indexes(for: text) ?? [] }
    // A scan of a partial index is not reported if no other index helps, because the partial index
    // contains only rows that the statement wants.
    if isPartial, indexes.isEmpty { return nil }
    configuration.knownScans.noteReport(of: key)
    return TableScan(sql: texts[0], tables: tables, rowCount: rowCount, indexes: indexes)
  }

  /// Returns whether a table has more rows than the configuration allows a statement to scan.
  private func isLarge(_ table: String) throws -> Bool {
    let limit = configuration.maximumScannedRows
    let count = try integer(
      pragma: "-- counts as far as it matters\nSELECT count(*) FROM (SELECT 1 FROM "
        + "\(Identifier(table).quoted) LIMIT \(max(0, limit)) + 1)")
    return count > limit
  }

  /// Returns the tables that a statement would scan, including scans that build an automatic index.
  /// A table appears once for each scan.
  ///
  /// The tables are found with EXPLAIN, which shows the instructions that count as steps of a scan,
  /// and the b-tree that each instruction scans. The text of EXPLAIN QUERY PLAN is not used,
  /// because it has aliases in place of table names.
  package func scannedTables(by sql: String) throws -> [String] {
    try scannedTrees(by: sql).map(\.table)
  }

  /// Returns the indexes that SQLite's planner would use for a statement in place of scans. This
  /// method creates the schema again in memory, without rows, which takes some milliseconds.
  package func missingIndexes(for sql: String) throws -> [SuggestedIndex] {
    try IndexAdvisor(SchemaCopy(of: self), for: self).indexes(for: sql)
  }

  /// Returns the tables and indexes that a statement would scan. Each appears once for each scan.
  func scannedTrees(by sql: String) throws -> [ScannedTree] {
    var trees: [Int: ScannedTree] = [:]
    try forEachRow(of: "SELECT rootpage, tbl_name, name FROM main.sqlite_schema WHERE rootpage > 0")
    {
      trees[$0.integer(0)] = ScannedTree(table: $0.text(1), name: $0.text(2))
    }
    var cursors: [Int: ScannedTree] = [:]
    var scanned: [ScannedTree] = []
    try forEachRow(of: "EXPLAIN " + sql) { row in
      switch row.text(1) {
      // Each trigger has a program of its own, whose cursors are numbered from the start again.
      case "Init": cursors = [:]
      case "OpenRead", "OpenWrite", "ReopenIdx":
        cursors[row.integer(2)] = row.integer(4) == 0 ? trees[row.integer(3)] : nil
      case "Next", "Prev":
        let kind = Int32(truncatingIfNeeded: row.integer(6))
        guard kind == SQLITE_STMTSTATUS_FULLSCAN_STEP || kind == SQLITE_STMTSTATUS_AUTOINDEX,
          let tree = cursors[row.integer(2)]
        else { return }
        scanned.append(tree)
      default: break
      }
    }
    return scanned
  }
}

/// A table or an index that a statement scans.
struct ScannedTree {
  let table: String
  /// The name of the index, or of the table itself.
  let name: String
}

/// A row of one of the library's own statements.
struct PlainRow {
  fileprivate let handle: OpaquePointer

  func integer(_ index: Int32) -> Int { Int(sqlite3_column_int64(handle, index)) }
  func text(_ index: Int32) -> String {
    sqlite3_column_text(handle, index).map { String(cString: $0) } ?? ""
  }
}

extension ConnectionCore {
  /// Passes each row of one of the library's own statements to a closure, without the statement
  /// cache.
  func forEachRow(of sql: String, _ body: (PlainRow) throws -> Void) throws {
    let compiled = try compileOne("-- looks into the schema\n" + sql)
    defer { compiled.finalize() }
    let statement = compiled.handle
    while true {
      let code = sqlite3_step(statement)
      if code == SQLITE_DONE { return }
      guard code == SQLITE_ROW else { throw failure(code, sql: sql) }
      try body(PlainRow(handle: statement))
    }
  }
}
