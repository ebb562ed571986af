import Apus
import ApusLogging
import ApusTracing
import Foundation
import Testing

@Suite struct ReadmeTests {
  private static let package = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: package.appending(path: path), encoding: .utf8)
  }

  @Test func `Each block of Swift in the README stands in a file that is compiled`() throws {
    let readme = try Self.text("README.md")
    let compiled = try [
      "Tests/ReadmeTests/ReadmeLines.swift", "Tests/ApusSwiftUITests/ReadmeLines.swift",
    ]
    .map(Self.text)
    let blocks = readme.components(separatedBy: "```swift\n").dropFirst()
      .map { $0.components(separatedBy: "```")[0] }
    #expect(blocks.count == 8)
    for block in blocks {
      #expect(compiled.contains { $0.contains(block) }, "not in a compiled file:\n\(block)")
    }
  }

  @Test func `The lines of the README do what it says`() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "apus-readme-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let db = try open(path: folder.appending(path: "blog.sqlite").path)
    try await db.write { try $0.insert(Post(title: "old")) }
    let post = try #require(try await db.first(Post.all))
    #expect(try await rename(post, to: "new", in: db) == 1)
    #expect(try await db.first(Post.all)?.title == "new")
    #expect(follow(db).count == 3)
  }
}
