import CSQLite

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

  /// The text with the bound values in place of the parameters. It is meant for debugging: do not
  /// write it to logs that others read, since it contains the values.
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

  /// Returns the value of a counter, which SQLite keeps since the statement was prepared.
  ///
  /// - Parameter resetting: whether to reset the counter to 0 afterwards.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/stmt_status.html>
  public func count(of counter: StatementCounter, resetting: Bool = false) throws -> Int {
    Int(sqlite3_stmt_status(try use().1.handle, counter.rawValue, resetting ? 1 : 0))
  }

  /// Returns the origin of the result column at `index`, counted from 0; nil if it is an
  /// expression.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/column_database_name.html>
  public func origin(ofColumn index: Int) throws -> ColumnOrigin? {
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

  /// Returns the declared type of the table column behind the result column at `index`, counted
  /// from 0; nil if it is an expression.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/column_decltype.html>
  public func declaredType(ofColumn index: Int) throws -> String? {
    sqlite3_column_decltype(try use().1.written, Int32(clamping: index)).map { String(cString: $0) }
  }
}
