import Foundation
import Testing

/// The documentation of the module, read as text beside its sources.
@Suite("The documentation of SQLCore")
struct CatalogueTests {
  /// A public declaration with the comment above it.
  private struct Declaration {
    let place: String
    let isOuter: Bool
    let kind: String
    let name: String
    let comment: String
    /// Whether the top-level declaration in which it stands calls SQLite.
    let callsSQLite: Bool

    var hasPage: Bool { comment.contains("- SeeAlso: <https://www.sqlite.org/") }
    /// Whether it is public only for the compiler, so that the documentation leaves it out.
    var isPlumbing: Bool {
      name.hasPrefix("_")
        || comment.localizedCaseInsensitiveContains("programs do not use it directly")
    }
  }

  /// The types that do not rest on SQLite.
  private static let ownTypes: Set = [
    "Unique64", "MigrationReport", "PoolStatus", "ResultTable", "ReadExecution", "TooManyStreams",
    "UInt8OrFloatElseUseJSON",
    "CacheStatistics", "AccessWait", "WriteKey", "KeyedWrite", "OpenEnum", "Selectable",
  ]

  private let sources: [(path: String, text: String)]
  private let catalogue: String

  init() throws {
    var folder = URL(filePath: #filePath)
    for _ in 0..<4 { folder.deleteLastPathComponent() }
    folder.append(path: "Sources/SQLCore", directoryHint: .isDirectory)
    let names = FileManager.default.enumerator(atPath: folder.path(percentEncoded: false))
    let paths = (names?.compactMap { $0 as? String } ?? []).sorted()
    func read(_ suffix: String) throws -> [(path: String, text: String)] {
      try paths.filter { $0.hasSuffix(suffix) }.map {
        ($0, try String(contentsOf: folder.appending(path: $0), encoding: .utf8))
      }
    }
    sources = try read(".swift")
    catalogue = try read(".md").map(\.text).joined()
    try #require(sources.count > 100)
  }

  private func declarations(in source: (path: String, text: String)) -> [Declaration] {
    let pattern =
      /^(\s*)(?:@\w+(?:\([^)]*\))?\s+)*public (?:(?:static|final|indirect|consuming|mutating|borrowing|convenience) )*(struct|class|enum|protocol|func|var|let|init|subscript|typealias)\b ?(\w*)/
    // A declaration at the top level ends with a brace at the start of a line.
    let callsSQLite = source.text.components(separatedBy: "\n}\n").flatMap { block in
      Array(
        repeating: block.contains(/\bc?sqlite(3_\w+|_\w+)\(/),
        count: block.count(where: \.isNewline) + 2)
    }
    var comment: [Substring] = []
    var found: [Declaration] = []
    // The parentheses of an attribute that are open at the end of a line.
    var open = 0
    for (index, line) in source.text.split(separator: "\n", omittingEmptySubsequences: false)
      .enumerated()
    {
      let start = line.drop { $0 == " " }
      if open > 0 || start.hasPrefix("@") {
        open += line.count { $0 == "(" } - line.count { $0 == ")" }
        if open > 0 || start.first == ")" { continue }
      }
      if start.hasPrefix("///") {
        comment.append(start)
        continue
      }
      if let match = line.firstMatch(of: pattern) {
        found.append(
          Declaration(
            place: "\(source.path):\(index + 1)", isOuter: match.1.isEmpty,
            kind: String(match.2), name: String(match.3), comment: comment.joined(separator: "\n"),
            callsSQLite: callsSQLite[index]))
      } else if start.hasPrefix("@") || start.hasPrefix("nonisolated") {
        // An attribute between the comment and the declaration.
        continue
      }
      comment = []
    }
    return found
  }

  @Test("each public declaration has a comment")
  func comments() {
    for source in sources {
      for declaration in declarations(in: source) where declaration.comment.isEmpty {
        Issue.record("\(declaration.place): \(declaration.kind) \(declaration.name)")
      }
    }
  }

  @Test("each public type is in the catalogue, and the catalogue links only public types")
  func topics() throws {
    let types = sources.flatMap(declarations).filter {
      $0.isOuter && !$0.isPlumbing && ["struct", "class", "enum", "protocol"].contains($0.kind)
    }
    try #require(types.count > 60)
    for type in types where !catalogue.contains("- ``\(type.name)``\n") {
      Issue.record("\(type.place): \(type.name) is not in the catalogue")
    }
    let names = Set(types.map(\.name)).union(["SQLCore"])
    // Without the examples, whose fence looks like a link.
    let prose = catalogue.components(separatedBy: "```").enumerated()
      .filter { $0.offset.isMultiple(of: 2) }.map(\.element).joined()
    for link in prose.matches(of: /``(\w+)[^`]*``/) where !names.contains(String(link.1)) {
      Issue.record("the catalogue links \(link.1), which is no public type")
    }
  }

  @Test(
    "each public type, and each function that calls SQLite, links to a page of its documentation")
  func pages() {
    for source in sources {
      for declaration in declarations(in: source) where !declaration.hasPage {
        switch declaration.kind {
        case "struct", "class", "enum", "protocol":
          guard declaration.isOuter, !declaration.isPlumbing,
            !Self.ownTypes.contains(declaration.name)
          else { continue }
        case "func":
          guard declaration.callsSQLite else { continue }
        default: continue
        }
        Issue.record("\(declaration.place): \(declaration.kind) \(declaration.name)")
      }
    }
  }
}
