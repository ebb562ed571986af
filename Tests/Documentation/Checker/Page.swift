import Foundation

/// The blocks of a Markdown file, or of the documentation comments of a Swift file.
struct Page {
  /// The path from the root of the project.
  let path: String
  var blocks: [Block] = []
  /// The files and the commands that the page shows, if it is a page of a tutorial.
  var elements: [Walkthrough.Element] = []
  /// Whether the page is a program: its blocks run one after the other.
  var runs = false
  /// Whether each block stands by itself, as in documentation comments.
  let isSource: Bool
  /// The modules that the page imports, if it is compiled with those of a package beside the library.
  private(set) var imports: [String] = []

  /// A name for the declarations that are made from the page.
  var identifier: String {
    String(path.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
  }

  /// - Parameter package: the folder of a package beside the library, or nil. A Markdown file has only
  ///   the blocks that are marked with it.
  init(path: String, text: String, package: String? = nil) {
    self.path = path
    isSource = path.hasSuffix(".swift")
    let lines = text.components(separatedBy: "\n")
    if isSource {
      readComments(lines)
    } else {
      readMarkdown(lines.map { $0 }, package)
    }
    guard package != nil else { return }
    let code = isSource ? lines : blocks.flatMap(\.lines)
    imports = code.map { $0.trimmingCharacters(in: .whitespaces) }.filter {
      $0.hasPrefix("import ")
    }
    // The file `Sources/Module/…` is a part of the module.
    let folders = path.components(separatedBy: "/")
    if isSource, let index = folders.firstIndex(of: "Sources") {
      imports.append("@testable import \(folders[index + 1])")
    }
  }

  private mutating func readComments(_ lines: [String]) {
    // Lines that are no documentation end every block.
    readMarkdown(
      lines.map { line in
        let text = line.trimmingPrefix { $0 == " " }
        guard text.hasPrefix("///") else { return nil }
        let content = text.dropFirst(3)
        return String(content.first == " " ? content.dropFirst() : content)
      }, nil)
  }

  private mutating func readMarkdown(_ lines: [String?], _ package: String?) {
    var kind = Block.Kind.right
    var isLeftOut = false
    var isForeign = package != nil
    var file: String?
    var index = 0
    while index < lines.count {
      let line = lines[index] ?? ""
      let text = String(line.trimmingPrefix { $0 == " " })
      index += 1
      // A fence may be indented, in a list; the marks stand at the left margin.
      switch text.hasPrefix("<!--") ? line : text {
      case "<!-- run -->": runs = true
      case "<!-- wrong -->": kind = .wrong
      case "<!-- manifest -->": kind = .manifest
      case "<!-- another library -->": isForeign = true
      case let text where text.hasPrefix("<!-- package "):
        isForeign = text.split(separator: " ").dropFirst(2).first.map(String.init) != package
      case "<!-- not run -->": isLeftOut = true
      case "<!-- prints -->":
        let shown = Page.shownText(lines, &index)
        if !blocks.isEmpty { blocks[blocks.count - 1].shown = shown }
      case "<!-- swift":
        let first = index
        while index < lines.count, lines[index] != "-->" { index += 1 }
        if package == nil {
          blocks.append(Block(firstLine: first + 1, lines: lines[first..<index].map { $0 ?? "" }))
        }
        index += 1
      case let text where TutorialFile(line: text) != nil:
        file = TutorialFile(line: text)?.path
      case "```console":
        let first = index
        while index < lines.count, !(lines[index] ?? "```").hasPrefix("```") { index += 1 }
        elements.append(
          .console(line: first + 1, lines: lines[first..<index].map { $0 ?? "" }))
        index += 1
      case "```swift":
        let indentation = line.count - text.count
        let first = index
        while index < lines.count, !(lines[index] ?? "```").contains("```") { index += 1 }
        let content = lines[first..<index].map { String(($0 ?? "").dropFirst(indentation)) }
        defer { isForeign = package != nil }
        if let path = file {
          elements.append(.file(path: path, line: first + 1, lines: content))
          file = nil
          index += 1
          continue
        }
        if isForeign {
          index += 1
          continue
        }
        blocks.append(
          Block(kind: kind, isLeftOut: isLeftOut, firstLine: first + 1, lines: content))
        index += 1
        kind = .right
        isLeftOut = false
      case let text where text.hasPrefix("```"):
        // A block of another language.
        while index < lines.count, !(lines[index] ?? "```").contains("```") { index += 1 }
        index += 1
      default: break
      }
    }
  }

  /// Reads the block that follows, between fences or indented by four spaces.
  private static func shownText(_ lines: [String?], _ index: inout Int) -> [String] {
    while index < lines.count, (lines[index] ?? "").isEmpty { index += 1 }
    guard index < lines.count else { return [] }
    var shown: [String] = []
    if (lines[index] ?? "").hasPrefix("```") {
      index += 1
      while index < lines.count, !(lines[index] ?? "```").hasPrefix("```") {
        shown.append(lines[index] ?? "")
        index += 1
      }
      index += 1
    } else {
      while index < lines.count, let line = lines[index], line.hasPrefix("    ") || line.isEmpty {
        shown.append(String(line.dropFirst(4)))
        index += 1
      }
      while shown.last?.isEmpty == true { shown.removeLast() }
    }
    return shown
  }
}
