import CSQLite

/// The table and column from which a column of a result takes its values.
///
/// - SeeAlso: <https://www.sqlite.org/c3ref/column_database_name.html>
public struct ColumnOrigin: Hashable, Sendable {
  /// The name of the database: `main`, or the name under which it is attached.
  public let database: String
  /// The name of the table.
  public let table: String
  /// The name of the column in that table.
  public let column: String
}

/// A counter that SQLite keeps for each statement.
///
/// - SeeAlso: <https://www.sqlite.org/c3ref/c_stmtstatus_counter.html>
public struct StatementCounter: RawRepresentable, Hashable, Sendable {
  /// The number of the counter in SQLite, such as `SQLITE_STMTSTATUS_SORT`.
  public let rawValue: Int32

  /// Makes a counter from its number in SQLite.
  public init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// The number of steps forward in full table scans. A high number suggests that an index is
  /// missing.
  public static let fullScanSteps = StatementCounter(rawValue: SQLITE_STMTSTATUS_FULLSCAN_STEP)
  /// Sort operations.
  public static let sorts = StatementCounter(rawValue: SQLITE_STMTSTATUS_SORT)
  /// The number of rows that were inserted into automatic indexes. These are temporary indexes that
  /// SQLite builds for one run of a statement.
  public static let automaticIndexRows = StatementCounter(rawValue: SQLITE_STMTSTATUS_AUTOINDEX)
  /// The number of steps of SQLite's virtual machine.
  public static let machineSteps = StatementCounter(rawValue: SQLITE_STMTSTATUS_VM_STEP)
  /// The number of times the statement was recompiled, for example after a schema change.
  public static let recompilations = StatementCounter(rawValue: SQLITE_STMTSTATUS_REPREPARE)
  /// The number of times the statement was run.
  public static let runs = StatementCounter(rawValue: SQLITE_STMTSTATUS_RUN)
  /// The number of join steps that were skipped because a Bloom filter ruled out a match.
  public static let filterHits = StatementCounter(rawValue: SQLITE_STMTSTATUS_FILTER_HIT)
  /// The number of join steps that were done because a Bloom filter did not rule out a match.
  public static let filterMisses = StatementCounter(rawValue: SQLITE_STMTSTATUS_FILTER_MISS)
  /// The memory that the statement takes at present, in bytes.
  public static let memory = StatementCounter(rawValue: SQLITE_STMTSTATUS_MEMUSED)
}

extension Statement {
  /// Whether the statement makes no direct change to a database file.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/stmt_readonly.html>
  public var isReadOnly: Bool {
    get throws { sqlite3_stmt_readonly(try use().1.written) != 0 }
  }

  /// Whether the statement is an EXPLAIN or EXPLAIN QUERY PLAN.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/stmt_isexplain.html>
  public var isExplain: Bool {
    get throws { sqlite3_stmt_isexplain(try use().1.written) != 0 }
  }

  /// The text with the bound values in place of the parameters. Use it only for debugging. Do not
  /// write it to logs that others can read, because it contains the values.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/expanded_sql.html>
  public var expandedSQL: String? {
    get throws { expandedText(try use().1.handle) }
  }

  /// The names of the parameters, including their prefix character; nil for a parameter without a
  /// name.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/bind_parameter_name.html>
  public var parameterNames: [String?] {
    get throws {
      let handle = try use().1.handle
      return (0..<parameterCount).map { index in
        sqlite3_bind_parameter_name(handle, Int32(index + 1)).map { String(cString: $0) }
      }
    }
  }

  /// Returns the value of a counter. SQLite counts from the moment when the statement was prepared,
  /// or when the counter was last reset.
  ///
  /// - Parameter resetting: whether to reset the counter to 0 afterwards.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/stmt_status.html>
  public func count(of counter: StatementCounter, resetting: Bool = false) throws -> Int {
    Int(sqlite3_stmt_status(try use().1.handle, counter.rawValue, resetting ? 1 : 0))
  }

  /// Returns the origin of the result column at `index`, counted from 0; nil if the column is an
  /// expression or does not exist. Throws `DatabaseError` if SQLite was built without column
  /// metadata (`SQLiteLibrary.Feature.columnMetadata`).
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/column_database_name.html>
  public func origin(ofColumn index: Int) throws -> ColumnOrigin? {
    try SQLiteLibrary.Feature.columnMetadata.require(for: "`origin(ofColumn:)`")
    let handle = try use().1.written
    let index = Int32(clamping: index)
    guard let database = sqlite3_column_database_name(handle, index),
      let table = sqlite3_column_table_name(handle, index),
      let column = sqlite3_column_origin_name(handle, index)
    else { return nil }
    return ColumnOrigin(
      database: String(cString: database), table: String(cString: table),
      column: String(cString: column))
  }

  /// Returns the declared type of the table column from which a result column takes its values.
  /// Returns nil if the result column is an expression, or if the table column has no type. `index`
  /// is the index of the result column, counted from 0.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/column_decltype.html>
  public func declaredType(ofColumn index: Int) throws -> String? {
    sqlite3_column_decltype(try use().1.written, Int32(clamping: index)).map { String(cString: $0) }
  }
}
