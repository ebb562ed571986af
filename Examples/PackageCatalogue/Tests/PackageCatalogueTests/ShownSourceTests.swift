import Foundation
import Testing

@testable import PackageCatalogue

@Suite("The demo shows the code that it runs")
struct ShownSourceTests {
  /// The lines of the example's source files, without their indentation.
  private let files: [[Substring]]

  init() throws {
    let folder = URL(filePath: #filePath)
      .deletingLastPathComponent().appending(path: "../../Sources/PackageCatalogue").standardized
    let names = try #require(FileManager.default.enumerator(atPath: folder.path()))
    files = try names.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.map { name in
      lines(of: try String(contentsOf: folder.appending(path: name), encoding: .utf8))
    }
  }

  @Test("each query is in its file twice: as the text that is shown and as the code that runs")
  func queries() {
    let queries = ShownQuery.all(searching: "text")
    #expect(queries.count == 4)
    for query in queries { #expect(occurrences(of: query.source) == 2, "\(query.title)") }
  }

  @Test("each edit is in its file twice as well")
  func edits() {
    #expect(occurrences(of: ChangesDemo.source) == 2)
  }

  @Test("the new lines of the second version are in its file")
  func secondVersion() {
    for line in MigrationDemo.source.split(separator: "\n") {
      let code = line.split(separator: "//")[0].trimmingCharacters(in: .whitespaces)
      #expect(files.contains { $0.contains { $0 == code } }, "\(code)")
    }
  }

  private func occurrences(of source: String) -> Int {
    let wanted = lines(of: source)
    return files.reduce(0) { count, file in
      guard file.count >= wanted.count else { return count }
      return count
        + (0...file.count - wanted.count).count { start in
          file[start..<start + wanted.count].elementsEqual(wanted)
        }
    }
  }
}

private func lines(of text: String) -> [Substring] {
  text.split(separator: "\n", omittingEmptySubsequences: false)
    .map { $0.drop { $0 == " " } }
}
