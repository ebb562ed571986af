import CSQLite

/// What SQLite counts while a statement runs.
///
/// - SeeAlso: <https://www.sqlite.org/c3ref/c_stmtstatus_counter.html>
public struct StatementCounter: RawRepresentable, Hashable, Sendable {
  /// SQLite's number.
  public let rawValue: Int32

  /// A counter by SQLite's number.
  public init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// Steps forward in a scan of a whole table: an index may be missing.
  public static let fullScanSteps = StatementCounter(rawValue: SQLITE_STMTSTATUS_FULLSCAN_STEP)
  /// Sorts.
  public static let sorts = StatementCounter(rawValue: SQLITE_STMTSTATUS_SORT)
  /// Rows put into indexes that were made for the occasion.
  public static let automaticIndexRows = StatementCounter(rawValue: SQLITE_STMTSTATUS_AUTOINDEX)
  /// Steps of SQLite's machine.
  public static let machineSteps = StatementCounter(rawValue: SQLITE_STMTSTATUS_VM_STEP)
  /// How often it was compiled anew, after a change of the schema.
  public static let recompilations = StatementCounter(rawValue: SQLITE_STMTSTATUS_REPREPARE)
  /// How often it was run.
  public static let runs = StatementCounter(rawValue: SQLITE_STMTSTATUS_RUN)
  /// Steps of joins that a Bloom filter saved.
  public static let filterHits = StatementCounter(rawValue: SQLITE_STMTSTATUS_FILTER_HIT)
  /// Steps of joins that a Bloom filter did not save.
  public static let filterMisses = StatementCounter(rawValue: SQLITE_STMTSTATUS_FILTER_MISS)
  /// Bytes that it occupies, now.
  public static let memory = StatementCounter(rawValue: SQLITE_STMTSTATUS_MEMUSED)
}

/// Where the values of a result's column come from.
///
/// - SeeAlso: <https://www.sqlite.org/c3ref/column_database_name.html>
public struct ColumnOrigin: Hashable, Sendable {
  /// The name of the attached database, `main` for the first.
  public let database: String
  /// The name of the table.
  public let table: String
  /// The name of the column there.
  public let column: String
}

extension Statement {
  /// Whether it writes nothing into a database file.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/stmt_readonly.html>
  public var isReadOnly: Bool {
    get throws { sqlite3_stmt_readonly(try use().1.handle) != 0 }
  }

  /// Whether it is an EXPLAIN.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/stmt_isexplain.html>
  public var isExplain: Bool {
    get throws { sqlite3_stmt_isexplain(try use().1.handle) != 0 }
  }

  /// The text with the values in place of the parameters: to be looked at, not for logs that others
  /// read.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/expanded_sql.html>
  public var expandedSQL: String? {
    get throws { expandedText(try use().1.handle) }
  }

  /// The names of the parameters, with their sign; nil for one without a name.
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

  /// What SQLite counted since the statement was prepared.
  ///
  /// - Parameter resetting: whether it begins at 0 again.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/stmt_status.html>
  public func count(of counter: StatementCounter, resetting: Bool = false) throws -> Int {
    Int(sqlite3_stmt_status(try use().1.handle, counter.rawValue, resetting ? 1 : 0))
  }

  /// Where the values of the column at `index`, from 0, come from; nil for an expression.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/column_database_name.html>
  public func origin(ofColumn index: Int) throws -> ColumnOrigin? {
    let handle = try use().1.handle
    let index = Int32(clamping: index)
    guard let database = sqlite3_column_database_name(handle, index),
      let table = sqlite3_column_table_name(handle, index),
      let column = sqlite3_column_origin_name(handle, index)
    else { return nil }
    return ColumnOrigin(
      database: String(cString: database), table: String(cString: table),
      column: String(cString: column))
  }

  /// The type that the column at `index`, from 0, declares in its table; nil for an expression.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/column_decltype.html>
  public func declaredType(ofColumn index: Int) throws -> String? {
    sqlite3_column_decltype(try use().1.handle, Int32(clamping: index)).map { String(cString: $0) }
  }
}
