import Foundation
import Testing

@Suite("Generated models of files that other programs made")
struct RealFileTests {
  /// The database of the build that made these tests, and the files in `APUS_DATABASES`, divided by
  /// colons.
  static func files() throws -> [URL] {
    let build = try Toolchain.find().modules.deletingLastPathComponent()
    let places = [build, build.deletingLastPathComponent(), build.appending(path: "../..")]
    let found = places.map { $0.appending(path: "build.db").standardizedFileURL }
      .first { FileManager.default.fileExists(atPath: $0.path) }
    let given = ProcessInfo.processInfo.environment["APUS_DATABASES"] ?? ""
    return (found.map { [$0] } ?? [])
      + given.split(separator: ":").map { URL(filePath: String($0)) }
  }

  @Test("they open the file with an empty plan, read every row, and write back the same rows")
  func all() async throws {
    let folder = try TestFolder()
    var copies: [(name: String, file: URL)] = []
    for (number, file) in try Self.files().enumerated() {
      let copy = folder.file("\(number).sqlite")
      try FileManager.default.copyItem(at: file, to: copy)
      copies.append((file.path, copy))
    }
    try #require(!copies.isEmpty, "no build.db near the tests")
    try await ModelTrial.run(copies)
  }
}
