import Foundation
import Testing

/// The README's example consists of code that the tests beside this one run.
@Suite("The text of the README")
struct ReadmeTextTests {
  private let folder = URL(filePath: #filePath).deletingLastPathComponent()

  private func text(of path: String) throws -> String {
    try String(contentsOf: folder.appending(path: path).standardized, encoding: .utf8)
  }

  @Test("each line of Swift in the README is in a test")
  func example() throws {
    let tests = try [
      "BlogModels.swift", "FirstLookTests.swift", "ReadmeTests.swift", "TourTests.swift",
    ]
    .map { code(in: try text(of: $0)).joined() }.joined()
    let readme = try text(of: "../../../README.md")
    let blocks = readme.components(separatedBy: "```swift\n").dropFirst()
      // No test covers how the package is added.
      .filter { !$0.hasPrefix("dependencies:") }
    let lines = blocks.flatMap { code(in: $0.components(separatedBy: "```")[0]) }
    #expect(lines.count > 60)
    for line in lines {
      // The bodies of loops are left to the reader.
      let begin = line.components(separatedBy: "{…")[0]
      // Kept out of the expectation, which would print all tests.
      let stands = tests.contains(begin)
      #expect(stands, "\(line)")
    }
  }

  /// Returns the lines without comments and white space.
  private func code(in text: String) -> [String] {
    text.split(separator: "\n").map { line in
      let end = line.firstRange(of: " //")?.lowerBound ?? line.endIndex
      return line.hasPrefix("//") ? "" : line[..<end].filter { !$0.isWhitespace }
    }
    .filter { !$0.isEmpty }
  }
}
