import Foundation

/// The Markdown pages of the project: their links, and the articles that DocC makes of them.
struct Site {
  /// The text of each page, by its path from the root.
  private let pages: [String: String]
  private let root: URL

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

  /// Returns a line for each relative link whose file or heading does not exist.
  func brokenLinks() -> [String] {
    var broken: [String] = []
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

  /// Writes the pages of `Documentation` as articles of a DocC catalogue, whose first page gets the
  /// table of contents.
  func writeArticles(to catalogue: URL) throws {
    for (path, text) in pages where path.hasPrefix("Documentation/") {
      let name = path.components(separatedBy: "/").last ?? path
      if path == "Documentation/README.md" {
        let page = catalogue.appending(path: "Apus.md")
        let overview = try String(contentsOf: page, encoding: .utf8)
        try (overview + topics(text)).write(to: page, atomically: true, encoding: .utf8)
      } else if name != "API.md" {
        let article = article(text, path)
        try article.write(to: catalogue.appending(path: name), atomically: true, encoding: .utf8)
      }
    }
    for name in try FileManager.default.contentsOfDirectory(atPath: pictures.path)
    where name.hasSuffix(".svg") {
      try FileManager.default.copyItem(
        at: pictures.appending(path: name), to: catalogue.appending(path: name))
    }
  }

  /// The pictures of the pages. Articles show those that are drawings.
  private var pictures: URL { root.appending(path: "Documentation/Pictures") }

  /// Returns the lists of links of the table of contents as groups of topics.
  private func topics(_ text: String) -> String {
    var topics = "\n## Topics\n"
    for line in text.components(separatedBy: "\n") {
      if line.hasPrefix("## ") { topics += "\n###" + line.dropFirst(2) + "\n\n" }
      guard line.hasPrefix("- [") else { continue }
      _ = replacingLinks(in: line, of: "Documentation/README.md") { _, link in
        let name = link.target.components(separatedBy: "/").last ?? ""
        if name != "API.md", name.hasSuffix(".md") { topics += "- <doc:\(name.dropLast(3))>\n" }
        return nil
      }
    }
    return topics
  }

  /// Returns a page with links as DocC resolves them. A link to what is no page becomes its text.
  private func article(_ text: String, _ path: String) -> String {
    var isCode = false
    var isHidden = false
    var lines: [String] = []
    for line in text.components(separatedBy: "\n") {
      if line.hasPrefix("```") { isCode.toggle() }
      if !isCode, line.hasPrefix("<!--") { isHidden = true }
      defer { if line.hasSuffix("-->") { isHidden = false } }
      if isHidden { continue }
      if isCode || line.hasPrefix("    ") {
        lines.append(line)
        continue
      }
      lines.append(
        replacingLinks(in: line, of: path) { title, link in
          let file = link.target.components(separatedBy: "/").last ?? ""
          // DocC finds pictures by their names.
          if file.hasSuffix(".svg") { return "[\(title)](\(file))" }
          guard let target = pages[link.target], link.target.hasPrefix("Documentation/"),
            !link.target.hasSuffix("API.md"), !link.target.hasSuffix("README.md")
          else { return title }
          let name = file.dropLast(3)
          let heading = Heading.headings(in: target).first { $0.slug == link.anchor }
          return "[\(title)](doc:\(name)\(heading.map { "#" + $0.fragment } ?? ""))"
        })
    }
    return lines.joined(separator: "\n")
  }

  /// Replaces each relative link, by what `body` returns for its title and target. Nil leaves it.
  private func replacingLinks(
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
