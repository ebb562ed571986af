import ApusHistory
import QueryDSL
import SQLCore

/// The record that a file of DuckDB has about each copied table. It has the definition of the
/// table, and the position in the change log up to which the copy is current.
struct CopyRecord {
  let table: CopiedTable
  /// The position in the change log up to which the copy is current; nil if it does not follow the
  /// log.
  let position: LogPosition?

  static let tableName = "apus_copies"

  private static func create(_ duck: DuckConnection) throws {
    try duck.run(
      """
      CREATE TABLE IF NOT EXISTS main.\(tableName) \
      (name VARCHAR, definition VARCHAR, position VARCHAR)
      """)
  }

  /// Returns the copied tables.
  static func readAll(_ duck: DuckConnection) throws -> [CopiedTable] {
    try create(duck)
    return try duck.rows(of: "SELECT name, definition FROM main.\(tableName)").allRows().map {
      try CopiedTable(defined: text($0[1]), name: text($0[0]))
    }
  }

  /// Returns the log positions of the copies that follow the log, by the tables' names in lower
  /// case.
  static func positions(_ duck: DuckConnection) throws -> [String: LogPosition] {
    var positions: [String: LogPosition] = [:]
    for row in try duck.rows(of: "SELECT name, position FROM main.\(tableName)").allRows() {
      guard let position = LogPosition(text(row[1])) else { continue }
      positions[text(row[0]).lowercased()] = position
    }
    return positions
  }

  /// Writes the record to the file. The caller does this in the transaction that changes the copy.
  func write(_ duck: DuckConnection) throws {
    let name = DatabaseValue.text(table.name)
    _ = try duck.rows(
      of: "DELETE FROM main.\(Self.tableName) WHERE lower(name) = lower($1)", [name]
    ).allRows()
    _ = try duck.rows(
      of: "INSERT INTO main.\(Self.tableName) VALUES ($1, $2, $3)",
      [name, .text(table.definition), position.map { .text("\($0)") } ?? .null]
    ).allRows()
  }

  private static func text(_ value: DatabaseValue) -> String {
    if case .text(let text) = value { return text }
    return ""
  }
}

extension CopiedTable {
  /// Creates the description of a table from its CREATE TABLE statement, which is run in an empty
  /// database.
  init(defined definition: String, name: String) throws {
    let scratch = try Connection()
    try scratch.execute(SQL(unsafe: definition))
    guard let table = try CopiedTable(named: name, in: scratch) else {
      throw AnalyticsError.notFollowed(
        table: name, reason: "its recorded definition has another name")
    }
    self = table
  }
}
