/// A copy of the main database's schema and of the statistics of ANALYZE, without rows. It is used
/// to create the same schema in memory.
package struct SchemaCopy {
  package enum Kind { case virtualTable, table, index, view, trigger }

  package struct Object {
    package let kind: Kind
    package let name: String
    package let sql: String
  }

  /// The objects, in the order in which they are created. Virtual tables come first, because they
  /// create further tables.
  package let objects: [Object]
  /// The INSERT statements that restore the statistics of ANALYZE.
  private let statistics: [String]

  package init(of core: ConnectionCore) throws {
    var definitions: [(type: String, name: String, sql: String)] = []
    try core.forEachRow(
      of: "SELECT type, name, sql FROM main.sqlite_schema WHERE sql IS NOT NULL"
    ) { row in
      definitions.append((row.text(0), row.text(1), row.text(2)))
    }
    try self.init(of: definitions, in: core)
  }

  /// Creates a copy of definitions that have been read from the schema of a connection.
  package init(
    of definitions: [(type: String, name: String, sql: String)], in core: ConnectionCore,
    withStatistics: Bool = true
  ) throws {
    var objects: [Object] = []
    var statistics: [String] = []
    for (type, name, sql) in definitions {
      if withStatistics, name == "sqlite_stat1" || name == "sqlite_stat4" {
        statistics.append(name)
      }
      guard !name.hasPrefix("sqlite_") else { continue }
      let kind: Kind =
        switch type {
        case "table": sql.uppercased().hasPrefix("CREATE VIRTUAL") ? .virtualTable : .table
        case "index": .index
        case "view": .view
        default: .trigger
        }
      objects.append(Object(kind: kind, name: name, sql: sql))
    }
    let order: [Kind] = [.virtualTable, .table, .index, .view, .trigger]
    self.objects = order.flatMap { kind in objects.filter { $0.kind == kind } }
    self.statistics = try statistics.flatMap { table in
      let columns = table == "sqlite_stat1" ? 3 : 6
      var rows: [String] = []
      let values = ["tbl", "idx", "stat", "neq", "nlt", "ndlt", "sample"]
        .filter { columns == 3 ? ["tbl", "idx", "stat"].contains($0) : $0 != "stat" }
      let quoted = values.map { "quote(\($0))" }.joined(separator: " || ', ' || ")
      try core.forEachRow(of: "SELECT \(quoted) FROM main.\(table)") { row in
        rows.append(
          "INSERT INTO \(table) (\(values.joined(separator: ", "))) VALUES (\(row.text(0)))")
      }
      return rows
    }
  }

  /// Creates the tables, indexes and other objects of the copy in an empty database. Objects that
  /// cannot be created there are skipped.
  package func make(in core: ConnectionCore) {
    for object in objects { try? core.runHere(object.sql) }
    guard !statistics.isEmpty else { return }
    try? core.runHere("ANALYZE main.sqlite_schema")
    for row in statistics { try? core.runHere(row) }
    // Makes SQLite read the statistics again.
    try? core.runHere("ANALYZE main.sqlite_schema")
  }
}

extension ConnectionCore {
  /// Returns an empty database in memory with the functions and collations of this connection, but
  /// without its listeners.
  package func emptyTwin() throws -> ConnectionCore {
    var configuration = configuration
    configuration.isImmutable = false
    configuration.isReadOnly = false
    configuration.schemaPolicy = .automatic
    configuration.onTableScan = nil
    configuration.onStatement = nil
    let twin = try ConnectionCore(
      location: .memory, configuration: configuration, isReader: false)
    try state.pointee.registrations.source?.applyDefinitions(to: twin)
    return twin
  }
}
