import Foundation

/// The Markdown pages of the project, and their links. `Site+Articles.swift` makes articles of them.
struct Site {
  /// The text of each page, by its path from the root.
  let pages: [String: String]
  let root: URL

  init(root: URL) throws {
    self.root = root
    var pages: [String: String] = [:]
    let files = FileManager.default.enumerator(atPath: root.path)
    while let path = files?.nextObject() as? String {
      // Builds have copies of other packages.
      let name = path.components(separatedBy: "/").last ?? path
      if name.hasPrefix(".build") { files?.skipDescendants() }
      guard path.hasSuffix(".md"), !path.contains(".docc/") else { continue }
      pages[path] = try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }
    self.pages = pages
  }

  /// A relative link.
  struct Link {
    /// The path of the target from the root.
    let target: String
    let anchor: String?
  }

  /// Returns a line for each relative link whose file or heading does not exist, and for each file of
  /// the tutorial that is called new or changed and is not.
  func brokenLinks() -> [String] {
    var broken = changesOfTutorial().wrong
    for (path, text) in pages.sorted(by: { $0.key < $1.key }) {
      var number = 0
      var isCode = false
      for line in text.components(separatedBy: "\n") {
        number += 1
        if line.hasPrefix("```") { isCode.toggle() }
        guard !isCode, !line.hasPrefix("    ") else { continue }
        if let middle = line.firstRange(of: "]("), !line[..<middle.lowerBound].contains("[") {
          broken.append("\(path):\(number): error: a link begins on the line above; put it on one")
        }
        _ = replacingLinks(in: line, of: path) { title, link in
          if !exists(link) {
            broken.append("\(path):\(number): error: the link \(title) leads nowhere")
          }
          return nil
        }
      }
    }
    return broken
  }

  private func exists(_ link: Link) -> Bool {
    let file = root.appending(path: link.target)
    guard FileManager.default.fileExists(atPath: file.path) else { return false }
    guard let anchor = link.anchor else { return true }
    guard let text = pages[link.target] else { return false }
    return Heading.headings(in: text).contains { $0.slug == anchor }
  }

  /// Replaces each relative link, by what `body` returns for its title and target. Nil leaves it.
  func replacingLinks(
    in line: String, of path: String, _ body: (String, Link) -> String?
  ) -> String {
    var result = ""
    var rest = line[...]
    while let middle = rest.firstRange(of: "]("),
      let end = rest[middle.upperBound...].firstIndex(of: ")"),
      let start = rest[..<middle.lowerBound].lastIndex(of: "[")
    {
      let title = String(rest[rest.index(after: start)..<middle.lowerBound])
      let address = String(rest[middle.upperBound..<end])
      result += rest[..<start]
      let whole = rest[start...end]
      rest = rest[rest.index(after: end)...]
      // A closure or a type in code is no link.
      let isCode = result.filter { $0 == "`" }.count % 2 == 1
      if isCode || address.contains("://") || address.contains(" ") || address.hasPrefix("doc:") {
        result += whole
        continue
      }
      let parts = address.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
      var target = path
      if let file = parts.first, !file.isEmpty {
        var folder = path.components(separatedBy: "/").dropLast()
        for part in file.components(separatedBy: "/") {
          if part == ".." { folder = folder.dropLast() } else { folder.append(part) }
        }
        target = folder.joined(separator: "/")
      }
      let link = Link(target: target, anchor: parts.count > 1 ? String(parts[1]) : nil)
      result += body(title, link) ?? String(whole)
    }
    return result + rest
  }
}
