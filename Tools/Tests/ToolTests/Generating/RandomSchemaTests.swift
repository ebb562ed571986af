import Foundation
import Testing

@Suite("Generated models of random schemas, compiled and run")
struct RandomSchemaTests {
  let folder: TestFolder

  init() throws { folder = try TestFolder() }

  @Test("they open the file with an empty plan, read every row, and write back the same rows")
  func all() async throws {
    let seed = TestSeed.draw()
    let count = TestSize.count(small: 12, full: 24, long: 400)
    // Compiling many models at once takes less time than one after another.
    for start in stride(from: 0, to: count, by: 24) {
      var files: [(name: String, file: URL)] = []
      for number in start..<min(start + 24, count) {
        let script = RandomSchema(seed: seed &+ UInt64(number)).script
        files.append(
          (script, try await folder.database(named: "\(number).sqlite", script)))
      }
      try await ModelTrial.run(files)
    }
  }
}
