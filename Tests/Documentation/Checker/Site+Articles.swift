import Foundation

/// The articles that DocC makes of the pages in `Documentation`.
extension Site {
  private static let contents = "Documentation/README.md"

  /// Writes the pages of `Documentation` as articles of a DocC catalogue, whose first page gets the
  /// table of contents.
  func writeArticles(to catalogue: URL, _ symbols: SymbolLinks) throws {
    let contents = Contents(of: self, Site.contents)
    let changes = changesOfTutorial().changes
    for (path, text) in pages where path.hasPrefix("Documentation/") {
      var article = article(text, path, changes[path] ?? [:], symbols)
      if path == Site.contents {
        let page = catalogue.appending(path: "Apus.md")
        let overview = try String(contentsOf: page, encoding: .utf8)
        article = article.prefix(group: 1)
        let topics = contents.groups.map { title, pages in
          "\n### \(title)\n\n" + pages.map { "- <doc:\(symbols.article($0))>\n" }.joined()
        }
        try "\(overview)\n\(article)\n## Topics\n\(topics.joined())".write(
          to: page, atomically: true, encoding: .utf8)
      } else if let name = Site.article(path) {
        let parts = (contents.parts[name] ?? []).map { "- <doc:\(symbols.article($0))>\n" }
        if !parts.isEmpty { article += "\n## Topics\n\n### Pages\n\n" + parts.joined() }
        let file = catalogue.appending(path: symbols.article(name) + ".md")
        try article.write(to: file, atomically: true, encoding: .utf8)
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

  /// The name of a page that becomes an article, or nil.
  private static func article(_ path: String) -> String? {
    let name = path.components(separatedBy: "/").last ?? path
    let isArticle =
      path.hasPrefix("Documentation/") && path != contents && name != "API.md"
      && name.hasSuffix(".md")
    return isArticle ? String(name.dropLast(3)) : nil
  }

  /// Returns the mistakes in the lines of the tutorial that name files, and the changed lines of each block.
  func changesOfTutorial() -> (wrong: [String], changes: [String: [Int: [Int]]]) {
    var folder = TutorialFile.Folder()
    var wrong: [String] = []
    var changes: [String: [Int: [Int]]] = [:]
    let steps = pages.keys.filter { $0.hasPrefix("Documentation/Tutorial/") }.sorted()
    let first = steps.filter { $0.hasSuffix("/Tutorial.md") }
    for path in first + steps.filter({ !first.contains($0) }) {
      let added = folder.add(path, pages[path] ?? "")
      wrong += added.wrong
      changes[path] = added.changes
    }
    return (wrong, changes)
  }

  /// Returns a page with links as DocC resolves them. A link to what is no page becomes its text. The
  /// first mention of each symbol becomes a link, except in headings and in the first paragraph, which
  /// lists of pages show.
  private func article(
    _ text: String, _ path: String, _ changes: [Int: [Int]], _ symbols: SymbolLinks
  ) -> String {
    var symbols = symbols
    var isCode = false
    var isHidden = false
    var paragraphs = 0
    var marked: [Int] = []
    var lines: [String] = []
    var code: [String] = []
    for (index, line) in text.components(separatedBy: "\n").enumerated() {
      if line.hasPrefix("```") { isCode.toggle() }
      if !isCode, line.hasPrefix("<!--") { isHidden = true }
      defer { if line.hasSuffix("-->") { isHidden = false } }
      if isHidden { continue }
      if line.isEmpty, lines.last?.hasPrefix("#") == false { paragraphs += 1 }
      if line == "```swift", !marked.isEmpty {
        lines.append("```swift, highlight=[\(marked.map(String.init).joined(separator: ", "))]")
        marked = []
        continue
      }
      if isCode || line.hasPrefix("    ") {
        lines.append(line)
        code.append(line)
        continue
      }
      if let file = TutorialFile(line: line) {
        marked = changes[index] ?? []
        let state =
          file.isNew ? "new" : marked.isEmpty ? "changed" : "changed; the marked lines are new"
        lines.append("**`\(file.path)`** (\(state))\n")
        continue
      }
      let linked = replacingLinks(in: line, of: path) { title, link in
        // DocC finds pictures by their names.
        if link.target.hasSuffix(".svg") {
          return "[\(title)](\(link.target.components(separatedBy: "/").last ?? ""))"
        }
        guard let target = pages[link.target], let name = Site.article(link.target) else {
          return title
        }
        let heading = Heading.headings(in: target).first { $0.slug == link.anchor }
        let fragment = heading.map { "#" + $0.fragment } ?? ""
        return "[\(title)](doc:\(symbols.article(name))\(fragment))"
      }
      let isPlain = paragraphs == 0 || line.hasPrefix("#") || path == Site.contents
      if isPlain {
        lines.append(linked)
      } else if path.contains("/ComingFrom") {
        // The terms of the other library stand in the first column and in the text.
        let end = linked.dropFirst().firstIndex(of: "|") ?? linked.endIndex
        lines.append(linked[..<end] + symbols.link(String(linked[end...])))
      } else {
        lines.append(symbols.link(linked))
      }
    }
    // Guides show most declarations only in their examples.
    let used = code.flatMap { symbols.links(swift: $0) }
    if !used.isEmpty, path.contains("/Guides/"), !path.contains("/ComingFrom") {
      lines.append("## Declarations in the examples\n\n\(used.joined(separator: ", "))\n")
    }
    return lines.joined(separator: "\n")
  }

  /// The table of contents. Each page stands once: where a line of the list begins with its link, or
  /// below the page whose line mentions it first.
  private struct Contents {
    private(set) var groups: [(title: String, pages: [String])] = []
    /// The pages that stand below a page, by its name.
    private(set) var parts: [String: [String]] = [:]

    init(of site: Site, _ path: String) {
      var lines: [[String]] = []
      // An entry may go on in further lines.
      let text = (site.pages[path] ?? "").replacing("\n  ", with: " ")
      for line in text.components(separatedBy: "\n") {
        if line.hasPrefix("## ") { groups.append((String(line.dropFirst(3)), [])) }
        guard line.hasPrefix("- [") else { continue }
        var names: [String] = []
        _ = site.replacingLinks(in: line, of: path) { _, link in
          if let name = Site.article(link.target) { names.append(name) }
          return nil
        }
        guard let first = names.first else { continue }
        groups[groups.count - 1].pages.append(first)
        lines.append(names)
      }
      var listed = Set(lines.compactMap(\.first))
      for names in lines {
        for name in names.dropFirst() where listed.insert(name).inserted {
          parts[names[0], default: []].append(name)
        }
      }
    }
  }
}

extension String {
  /// Returns the first groups below headings of the second level, without what precedes them.
  fileprivate func prefix(group count: Int) -> String {
    var groups = 0
    return components(separatedBy: "\n").filter { line in
      if line.hasPrefix("## ") { groups += 1 }
      return groups > 0 && groups <= count
    }.joined(separator: "\n")
  }
}
