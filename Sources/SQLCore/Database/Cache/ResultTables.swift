import CSQLite

/// A record of the tables that cached queries read. Each connection has its own record.
struct ResultTables {
  private struct Known {
    let schemaVersion: Int32
    let registrations: UInt64
    let tables: [String]?
  }

  private var statements: [[UInt8]: Known] = [:]

  private static let maximumCount = 1_000

  /// Returns the tables that a query reads. Returns `.some(nil)` if the result of the query must
  /// not be cached. Returns nil if the tables are not known yet, or if the schema or a registered
  /// function or collation has changed since the tables were found.
  func tables(
    of shape: [UInt8], schemaVersion: Int32, registrations: UInt64
  ) -> [String]?? {
    guard let known = statements[shape], known.schemaVersion == schemaVersion,
      known.registrations == registrations
    else { return nil }
    return .some(known.tables)
  }

  mutating func note(
    _ tables: [String]?, of shape: [UInt8], schemaVersion: Int32, registrations: UInt64
  ) {
    if statements.count >= Self.maximumCount { statements.removeAll() }
    statements[shape] = Known(
      schemaVersion: schemaVersion, registrations: registrations, tables: tables)
  }
}

extension ConnectionCore {
  /// Returns the tables, in lower case, on which the result of a query depends. Nil if the result
  /// must not be cached, because it also depends on something whose changes the cache would not
  /// notice.
  ///
  /// The result can be cached if the query reads only tables and views of the main database, and
  /// calls only functions whose result depends only on their arguments. A virtual table is allowed
  /// only if its rows are computed from its arguments, such as those of `json_each`, because the
  /// rows of other virtual tables can change unnoticed.
  ///
  /// - Parameters:
  ///   - shape: A key of the query. Two queries have the same key only if their SQL is equal.
  ///   - text: A closure that returns the query's SQL.
  package func resultTables(
    of shape: [UInt8], text: () throws -> String
  ) throws -> [String]? {
    guard state.pointee.hooks.listeners.authorizer.isEmpty else { return nil }
    let version = try schemaVersion()
    let registrations = state.pointee.registrations.sequence
    if let known = state.pointee.resultTables.tables(
      of: shape, schemaVersion: version, registrations: registrations)
    {
      return known
    }
    let tables = try findResultTables(of: try text())
    state.pointee.resultTables.note(
      tables, of: shape, schemaVersion: version, registrations: registrations)
    return tables
  }

  private func findResultTables(of sql: String) throws -> [String]? {
    let (columns, functions) = try reads(of: sql)
    for function in functions where !Self.pureFunctions.contains(function) { return nil }
    // If a program has replaced one of SQLite's functions by its own, the result of the function
    // may depend on more than its arguments.
    let registered = try ownRows("SELECT name FROM pragma_function_list WHERE NOT builtin")
    for function in registered.compactMap({ $0[0]?.lowercasedASCII })
    where functions.contains(function) && !function.hasPrefix("apus_") {
      return nil
    }
    let known = try ownRows("SELECT name, type FROM pragma_table_list WHERE schema = 'main'")
    let types = Dictionary(known.map { ($0[0]?.lowercasedASCII ?? "", $0[1] ?? "") }) { first, _ in
      first
    }
    var tables: Set<String> = []
    for column in columns {
      let table = column.table.lowercasedASCII
      if Self.tablesOfArguments.contains(table), types[table] ?? "virtual" == "virtual" { continue }
      guard column.database == "main", !table.hasPrefix("sqlite_"),
        let type = types[table], type == "table" || type == "view"
      else { return nil }
      tables.insert(table)
    }
    return Array(tables)
  }

  /// The names of the virtual tables whose rows depend only on the arguments of the table.
  private static let tablesOfArguments: Set = [
    "json_each", "json_tree", "generate_series", "apus_array", "apus_json_each",
  ]

  /// The functions of SQLite and of the library whose results depend only on their arguments. The
  /// functions of dates and times are left out, because they may read the clock and the time zone.
  /// - SeeAlso: <https://www.sqlite.org/deterministic.html>
  private static let pureFunctions: Set = [
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "avg", "ceil", "ceiling",
    "char", "coalesce", "cos", "cosh", "count", "cume_dist", "degrees", "dense_rank", "exp",
    "first_value", "floor", "format", "glob", "group_concat", "hex", "ifnull", "iif", "instr",
    "json", "json_array", "json_array_length", "json_extract", "json_group_array",
    "json_group_object", "json_insert", "json_object", "json_patch", "json_quote", "json_remove",
    "json_replace", "json_set", "json_type", "json_valid", "lag", "last_value", "lead", "length",
    "like", "likelihood", "likely", "ln", "log", "log10", "log2", "lower", "ltrim", "max", "min",
    "mod", "nth_value", "ntile", "nullif", "percent_rank", "pi", "pow", "power", "printf", "quote",
    "radians", "rank", "replace", "round", "row_number", "rtrim", "sign", "sin", "sinh", "sqrt",
    "string_agg", "substr", "substring", "sum", "tan", "tanh", "total", "trim", "trunc", "typeof",
    "unicode", "unlikely", "upper", "zeroblob", "->", "->>",
    "apus_fold", "apus_fold_ascii", "apus_json", "apus_json_base64", "apus_json_bytes",
    "apus_json_group_object", "apus_json_nodes", "apus_json_real", "apus_json_uuid",
    "apus_json_value",
  ]
}
