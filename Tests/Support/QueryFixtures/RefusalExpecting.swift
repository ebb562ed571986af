import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

/// A plan that refuses a step offers a line that declares what the step needs. Each test has the
/// model without the line and the model with the pasted line.
protocol RefusalExpecting {}

extension RefusalExpecting {
  /// Migrates an existing table, and expects one refusal that changes nothing. Its line must occur
  /// in the test's file, in the schema of the pasted model.
  func expectRefused(
    _ sql: SQL, _ model: any Model.Type, _ reason: String, line: String,
    pastedInto pasted: any Model.Type, others: [any Model.Type] = [],
    options: MigrationOptions = MigrationOptions(),
    filePath: String = #filePath, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Database {
    let db = try Specification.database()
    try db.execute(sql)
    let before = try db.rows("SELECT sql FROM sqlite_schema ORDER BY name").map(\.values)
    let error = #expect(throws: MigrationError.self, sourceLocation: sourceLocation) {
      try db.migrate(others + [model])
    }
    let refusals = error?.plan.refusals ?? []
    #expect(refusals.map(\.reason) == [reason], sourceLocation: sourceLocation)
    #expect(refusals.count == 1, sourceLocation: sourceLocation)
    #expect(
      refusals.first?.lines.contains(line) == true, "\(refusals.first?.lines ?? [])",
      sourceLocation: sourceLocation)
    let description = error?.description ?? ""
    #expect(
      description.hasPrefix("the database was not migrated, and nothing was changed:"),
      sourceLocation: sourceLocation)
    #expect(description.contains("  ! refused: \(reason)"), sourceLocation: sourceLocation)
    for part in line.split(separator: "\n") {
      #expect(description.contains("\n      \(part)"), sourceLocation: sourceLocation)
    }
    let after = try db.rows("SELECT sql FROM sqlite_schema ORDER BY name").map(\.values)
    #expect(after == before, sourceLocation: sourceLocation)
    #expect(throws: MigrationError.self, sourceLocation: sourceLocation) {
      try Specification.reopen(db, models: others + [model])
    }
    // The pasted line is a whole line of the test's file.
    let source = try String(contentsOfFile: filePath, encoding: .utf8)
    let lines = Set(
      source.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) })
    #expect(
      line.split(separator: "\n").allSatisfy { lines.contains(String($0)) }, "\(line)",
      sourceLocation: sourceLocation)
    try db.migrate(others + [pasted], options)
    let again = try db.migrationPlan(for: others + [pasted])
    #expect(again.isEmpty, "\(again)", sourceLocation: sourceLocation)
    return db
  }
}
