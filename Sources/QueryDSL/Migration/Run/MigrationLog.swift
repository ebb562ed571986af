import SQLCore

/// The table in which a database remembers which steps of the user's own were run.
struct MigrationLog {
  static let table = "apus_migration"
  let connection: Connection

  /// The steps that were not run yet, in their order.
  func pending(_ steps: [MigrationStep]) throws -> [MigrationStep] {
    guard !steps.isEmpty, try connection.tableExists(Self.table) else { return steps }
    let done = Set(
      try connection.rows("SELECT name FROM \(identifier: Self.table)").map {
        try $0.get(String.self, at: 0)
      })
    return steps.filter { !done.contains($0.name) }
  }

  func note(_ steps: [MigrationStep]) throws {
    guard !steps.isEmpty else { return }
    try connection.execute(
      """
      CREATE TABLE IF NOT EXISTS \(identifier: Self.table) ("name" TEXT PRIMARY KEY NOT NULL) STRICT
      """)
    for step in steps {
      try connection.execute(
        "INSERT OR IGNORE INTO \(identifier: Self.table) VALUES (\(step.name))")
    }
  }
}
