import Foundation
import Testing

@Suite("Generated models of known schemas, compiled and run")
struct KnownSchemaTests {
  let folder: TestFolder

  init() throws { folder = try TestFolder() }

  @Test("they open the file with an empty plan, read every row, and write back the same rows")
  func all() async throws {
    var files: [(name: String, file: URL)] = []
    for (name, script) in KnownSchemas.all {
      files.append((name, try await folder.database(named: "\(name).sqlite", script)))
    }
    try await ModelTrial.run(files)
  }
}
