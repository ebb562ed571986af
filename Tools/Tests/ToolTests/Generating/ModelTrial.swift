import Foundation
import ModelGenerator
import Testing

/// Generates, compiles and runs the models of files, and compares what they read and write with what
/// the shell reads.
enum ModelTrial {
  static func run(
    _ files: [(name: String, file: URL)], sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    var program = GeneratedProgram()
    var before: [[String: String]] = []
    for (_, file) in files {
      try program.add(file)
      let copy = GeneratedProgram.copy(of: file)
      try await Command.sqlite(file, "VACUUM INTO '\(copy.path)';")
      // A trigger would change the rows that are written back.
      let triggers = try await Command.sqlite(
        copy,
        "SELECT 'DROP TRIGGER \"' || replace(name, '\"', '\"\"') || '\";' FROM sqlite_schema WHERE type = 'trigger';"
      )
      try await Command.sqlite(copy, triggers + "\nSELECT 1;")
      before.append(try await contents(of: file))
    }
    let reports = try await program.run()
    for (index, (name, file)) in files.enumerated() {
      let report = reports[index]
      #expect(
        report.plan == "", "the plan for \(name)\n\(program.models[index].text)",
        sourceLocation: sourceLocation)
      #expect(
        report.failures == [], "\(name)\n\(program.models[index].text)",
        sourceLocation: sourceLocation)
      #expect(!report.counts.isEmpty, "\(name): nothing was read", sourceLocation: sourceLocation)
      let rows = before[index].mapValues { $0.split(separator: "\n").count }
      for (table, count) in report.counts {
        guard let expected = rows[table] else { continue }
        #expect(count == expected, "\(name): \(table)", sourceLocation: sourceLocation)
      }
      let after = try await contents(of: GeneratedProgram.copy(of: file))
      #expect(after == before[index], "\(name): written back", sourceLocation: sourceLocation)
    }
  }

  /// Returns the rows of all ordinary tables, as the shell prints them: one line each, sorted, each
  /// value as a literal.
  private static func contents(of file: URL) async throws -> [String: String] {
    let names = try await Command.sqlite(
      file,
      """
      .mode json
      SELECT list.name AS name, (
        SELECT group_concat('quote("' || replace(name, '"', '""') || '")', ' || '','' || ')
        FROM pragma_table_xinfo(list.name) WHERE hidden <> 1) AS columns
      FROM pragma_table_list AS list
      WHERE schema = 'main' AND type = 'table' AND list.name NOT LIKE 'sqlite\\_%' ESCAPE '\\';
      """)
    let tables =
      try JSONSerialization.jsonObject(with: Data((names.isEmpty ? "[]" : names).utf8))
      as? [[String: String]] ?? []
    var contents: [String: String] = [:]
    for table in tables {
      guard let name = table["name"], let columns = table["columns"] else { continue }
      let quoted = "\"" + name.replacing("\"", with: "\"\"") + "\""
      let text = try await Command.sqlite(
        file,
        "SELECT replace(replace(line, char(10), '\\n'), char(13), '\\r') FROM (SELECT \(columns) AS line FROM \(quoted)) ORDER BY 1;"
      )
      contents[name] = text
    }
    return contents
  }
}
