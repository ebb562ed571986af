import SQLCore

/// The table in which a database notes, by name, which of the user's own steps and which
/// conversions have run. `ConversionLog` reads the latter.
struct MigrationLog {
  static let table = "apus_migration"
  let connection: Connection

  /// Returns the noted names; none if the database does not have the table.
  func names() throws -> [String] {
    try connection.tableExists(Self.table) ? allNames() : []
  }

  /// Returns the noted names, given the present schema: one statement if it has the table, else
  /// none.
  func names(in schema: ExistingSchema) throws -> [String] {
    try schema.relation(Self.table) == nil ? [] : allNames()
  }

  /// Returns the noted names. The table must exist.
  func allNames() throws -> [String] {
    try connection.rows("SELECT name FROM \(identifier: Self.table)").map {
      try $0.get(at: 0)
    }
  }

  /// Returns the steps that have not run yet, in their order.
  func pending(_ steps: [MigrationStep], in schema: ExistingSchema) throws -> [MigrationStep] {
    guard !steps.isEmpty else { return steps }
    let done = Set(try names(in: schema))
    return steps.filter { !done.contains($0.name) }
  }

  func note(_ steps: [MigrationStep]) throws { try note(steps.map(\.name)) }

  func note(_ names: [String]) throws {
    guard !names.isEmpty else { return }
    try connection.execute(
      """
      CREATE TABLE IF NOT EXISTS \(identifier: Self.table) ("name" TEXT PRIMARY KEY NOT NULL) STRICT
      """)
    for name in names {
      try connection.execute("INSERT OR IGNORE INTO \(identifier: Self.table) VALUES (\(name))")
    }
  }

  func rename(_ name: String, to newName: String) throws {
    try connection.execute(
      "UPDATE OR REPLACE \(identifier: Self.table) SET name = \(newName) WHERE name = \(name)")
  }

  func remove(_ name: String) throws {
    try connection.execute("DELETE FROM \(identifier: Self.table) WHERE name = \(name)")
  }
}
