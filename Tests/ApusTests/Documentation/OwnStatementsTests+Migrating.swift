import Apus
import Foundation
import TestRun
import Testing

import MigrationSamples

extension OwnStatementsTests {
  @Test("migrating: a new file, one that fits, and one that is changed")
  func migrating() async {
    await #expect(processExitsWith: .success) {
      try OwnStatements.run { statements in
        var db = try Database(path: statements.path, models: [Author.self])
        try statements.expect("Opening", "Migrating", "Changing tables")
        try db.close()
        statements.forget()
        db = try Database(path: statements.path, models: [Author.self])
        try statements.expect("Opening", "Migrating")
        try db.close()
        statements.forget()
        db = try Database(path: statements.path, models: [Author.self, Post.self])
        try statements.expect(
          "Opening", "Migrating", "Changing tables",
          memory: ["Opening", "Migrating", "Changing tables", "Migrating in memory"])
        #expect(try db.migrationPlan(for: [Author.self, Post.self]).isEmpty)
        try statements.expect("Opening", "Migrating")
        try db.close()
        try statements.expect("Closing")
      }
    }
  }

  @Test("migrating with every kind of step")
  func steps() async {
    await #expect(processExitsWith: .success) {
      try OwnStatements.run { statements in
        for (kind, migration) in Migrations.all.sorted(by: { $0.key < $1.key }) {
          let path = statements.path("\(kind)/\(StatementTrace.fileName)")
          let db = try statements.open(path, sql: OwnStatements.samples)
          var options = migration.options
          options.checksValues = true
          options.schemaVersion = 2
          try db.migrate(migration.models, options)
          var asked: [String] = []
          if kind == "steps" {
            // The steps of the migration itself.
            asked = [
              "UPDATE Item SET name = name || '!'", "UPDATE Item SET name = name || old",
            ]
          }
          try statements.expect(
            "Opening", "Migrating", "Changing tables", asked: asked,
            memory: ["Opening", "Migrating", "Changing tables", "Migrating in memory"])
          // A second one reads what the first one remembers.
          #expect(try db.migrate(migration.models, options).isEmpty)
          try statements.expect(
            "Opening", "Migrating", "Changing tables",
            memory: ["Opening", "Migrating", "Changing tables", "Migrating in memory"])
        }
      }
    }
  }

  @Test(
    "migrating tables that another program made: dates, ids of Unique64, AUTOINCREMENT, many rows")
  func foreignTables() async {
    await #expect(processExitsWith: .success) {
      try OwnStatements.run { statements in
        let dates = [
          "REAL|1700000000.5", "INTEGER|1700000000", "DATETIME|1700000000", "INTEGER|7",
          "TEXT|'2024-01-01 10:00:00'", "TEXT|'1700000000'", "DATETIME|'soon'", "REAL|NULL",
        ]
        for (number, date) in dates.enumerated() {
          let parts = date.split(separator: "|")
          let path = statements.path("\(number)/\(StatementTrace.fileName)")
          let db = try statements.open(
            path,
            sql: """
              CREATE TABLE Event (id INTEGER PRIMARY KEY AUTOINCREMENT, date \(parts[0]), size TEXT);
              WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(number == 0 ? 10_001 : 3))
              INSERT INTO Event SELECT i, \(parts[1]), i FROM n;
              ANALYZE
              """)
          // Where the values do not fit, the plan is refused.
          _ = try? db.migrate([OwnStatements.Event.self])
          try statements.expect(
            "Opening", "Migrating", "Changing tables",
            memory: ["Opening", "Migrating", "Changing tables", "Migrating in memory"])
          try db.close()
          statements.forget()
          let options = MigrationOptions(invalidValues: .deleted, missingDefaults: .zeroOrEmpty)
          _ = try? Database(
            path: path, models: [OwnStatements.Event.self], migration: options)
          try statements.expect(
            "Opening", "Migrating", "Changing tables",
            memory: ["Opening", "Migrating", "Changing tables", "Migrating in memory"])
        }
      }
    }
  }
}
