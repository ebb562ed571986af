import QueryDSL
import SQLCore

/// A type that a column can have in a Parquet file, in place of the type that it has in the copy.
public enum ParquetType: Hashable, Sendable {
  /// A `Date` in the standard form, as microseconds since 1970: TIMESTAMP.
  case timestamp
  /// A `Bool`: BOOLEAN.
  case boolean
  /// A `UUID` in the standard form: UUID.
  case uuid
  /// A `Decimal`, as DECIMAL. Its numbers have `digits` digits in all, and `scale` of these digits
  /// are after the point.
  case decimal(digits: Int, scale: Int)

  fileprivate func expression(_ name: String) -> String {
    switch self {
    case .timestamp: "make_timestamp(\(name))"
    case .boolean: "CAST(\(name) AS BOOLEAN)"
    case .uuid: "CAST(\(name) AS UUID)"
    case .decimal(let digits, let scale): "CAST(\(name) AS DECIMAL(\(digits), \(scale)))"
    }
  }
}

/// A Parquet file into which the rows of a query are to be written.
struct ParquetExport {
  let path: String
  let types: [String: ParquetType]

  /// Returns the comment that precedes a query whose rows are to be written into a file instead of
  /// being returned. `number` is the number of the export in the catalogue.
  static func mark(_ number: Int) -> String { "/* apus_parquet \(number) */ " }

  static func number(in sql: String) -> Int? {
    guard sql.hasPrefix("/* apus_parquet ") else { return nil }
    return Int(sql.dropFirst("/* apus_parquet ".count).prefix { $0.isNumber })
  }

  func statement(_ query: Translator.Selected) -> String {
    let items = query.columns.map { column in
      let name = column.name.quotedName
      let type = types.first { $0.key.isSameName(as: column.name) }?.value
      return type.map { "\($0.expression(name)) AS \(name)" } ?? name
    }
    return "COPY (SELECT \(items.joined(separator: ", ")) FROM (\(query.sql)) AS apus_rows) "
      + "TO \(path.quotedText) (FORMAT parquet)"
  }
}

extension Analytics {
  /// Writes the rows of a query into a Parquet file. If the file exists, it is replaced.
  ///
  /// ```swift
  /// try analytics.writeParquet(
  ///   Order.where { $0.$year == 2025 }, to: "orders.parquet", types: ["createdAt": .timestamp])
  /// ```
  /// In the file, a column has the same type as in the copy in DuckDB: BIGINT, DOUBLE, VARCHAR or
  /// BLOB. Use `types` to give a column another type. Its keys are the names of columns of the
  /// result.
  ///
  /// Throws the errors that every query may throw. Throws `AnalyticsError.failed` or `.outOfRange`
  /// if the file cannot be written or a value cannot be converted.
  public func writeParquet(
    _ query: some Fetchable, to path: String, types: [String: ParquetType] = [:]
  ) throws {
    let sql = try query.sql
    let number = catalogue.begin(ParquetExport(path: path, types: types))
    defer { catalogue.end(number) }
    try database.read { connection in
      try connection.forEach(SQL(unsafe: ParquetExport.mark(number)) + sql) { _ in }
    }
  }

  /// Writes the rows of a query into a Parquet file. This is the asynchronous form.
  public func writeParquet(
    _ query: some Fetchable, to path: String, types: [String: ParquetType] = [:]
  ) async throws {
    try await offloading { try self.writeParquet(query, to: path, types: types) }
  }
}
