import Foundation

/// One check of all pages.
struct Check {
  let compiler: Compiler
  private(set) var summary = ""
  private var claimCount = 0

  init(compiler: Compiler) {
    self.compiler = compiler
  }

  /// Returns a line for each failure.
  ///
  /// - Parameter names: parts of the paths of the pages to check, or nothing for all.
  mutating func run(only names: [String]) throws -> [String] {
    let all = try pages(named: names)
    let pages = all.filter { page in
      !page.blocks.isEmpty && (names.isEmpty || names.contains { page.path.contains($0) })
    }
    let prelude = try compiler.buildPrelude()
    guard prelude.errors.isEmpty else { return prelude.errors }

    var failures: [String] = []
    var files: [URL] = []
    for page in pages { files.append(try write(page)) }
    if !files.isEmpty { failures += try compiler.typeCheck(files) }
    guard compiler.package == nil else {
      summary = "\(pages.map(\.blocks.count).reduce(0, +)) examples in \(pages.count) files"
      return failures
    }
    for page in pages {
      for index in page.blocks.indices {
        switch page.blocks[index].kind {
        case .right: break
        case .wrong: failures += try checkWrong(page, index)
        case .manifest: failures += try checkManifest(page, index)
        }
      }
    }
    let programs = pages.indices.filter { index in
      let page = pages[index]
      return page.runs && !failures.contains { $0.hasPrefix("\(page.path):") }
    }
    var outputs = 0
    if !programs.isEmpty {
      let main = try write(main(programs.map { pages[$0] }), as: "main")
      let executable = compiler.folder.appending(path: "examples")
      let errors = try compiler.link(
        programs.map { files[$0] } + [main], prelude: prelude.object, to: executable)
      failures += errors
      if errors.isEmpty {
        for index in programs {
          failures += try run(pages[index], executable, &outputs)
        }
      }
    }
    failures += try checkClaims(pages, prelude.object)
    let commands = try followTutorials(all, names, &failures)
    summary = """
      \(pages.map(\.blocks.count).reduce(0, +)) examples in \(pages.count) files, \
      \(programs.count) programs, \(outputs) outputs, \(claimCount) queries with their SQL, \
      \(commands) commands of tutorials
      """
    return failures
  }

  /// Follows each folder of pages that show files, from its first page on, and returns the number of
  /// commands.
  private func followTutorials(
    _ pages: [Page], _ names: [String], _ failures: inout [String]
  ) throws -> Int {
    let folders = Dictionary(grouping: pages.filter { !$0.elements.isEmpty }) { page in
      page.path.split(separator: "/").dropLast().joined(separator: "/")
    }
    var commands = 0
    for (folder, pages) in folders.sorted(by: { $0.key < $1.key }) {
      guard names.isEmpty || names.contains(where: "\(folder)/".contains) else { continue }
      var walkthrough = Walkthrough(compiler: compiler, path: folder)
      failures += try walkthrough.run(pages)
      commands += walkthrough.outputs
    }
    return commands
  }

  /// Renders the queries that are shown with their SQL.
  private mutating func checkClaims(_ pages: [Page], _ prelude: URL) throws -> [String] {
    var files: [URL] = []
    var calls = ""
    for page in pages {
      var program = program(page)
      guard let source = program.claims() else { continue }
      files.append(try write(source, as: program.claimsFunction))
      calls += "\(program.claimsFunction)()\n"
    }
    guard !files.isEmpty else { return [] }
    files.append(try write("@main struct Main { static func main() {\n\(calls)} }", as: "claims"))
    let executable = compiler.folder.appending(path: "claims")
    let errors = try compiler.link(files, prelude: prelude, to: executable)
    guard errors.isEmpty else { return errors }
    let (status, text) = try compiler.run(executable.path, [])
    let crash = status == 0 ? [] : ["the queries ended with \(status):\n\(text.suffix(4_000))"]
    return crash
      + text.components(separatedBy: "\u{1}claim ").dropFirst().compactMap { part in
        let lines = part.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        claimCount += 1
        if lines.count >= 3, Check.matches([lines[2]], [lines[1]]) { return nil }
        return """
          \(lines[0]): error: becomes
          \(lines.dropFirst(2).joined(separator: "\n"))and shows
          \(lines[1])
          """
      }
  }

  /// The files with examples, in the order of their paths.
  private func pages(named names: [String]) throws -> [Page] {
    let files = FileManager.default.enumerator(atPath: compiler.root.path)
    var paths: [String] = []
    while let path = files?.nextObject() as? String {
      let isPage =
        if let package = compiler.package {
          path.hasSuffix(".swift") && path.hasPrefix("\(package)/Sources/")
            || path.hasSuffix(".md") && path.hasPrefix("Documentation/")
        } else {
          path == "README.md" || path == "CONTRIBUTING.md"
            || path.hasSuffix(".md")
              && (path.hasPrefix("Documentation/") || path.hasPrefix("Sources/"))
            || path.hasPrefix("Tests/Documentation/Mistakes/") && names.contains("Mistakes/")
            || path.hasSuffix(".swift") && path.hasPrefix("Sources/")
        }
      if isPage { paths.append(path) }
      let name = path.components(separatedBy: "/").last ?? path
      if name.hasPrefix(".build") { files?.skipDescendants() }
    }
    return try paths.sorted().compactMap { path in
      let file = compiler.root.appending(path: path)
      let page = Page(
        path: path, text: try String(contentsOf: file, encoding: .utf8), package: compiler.package)
      return page.blocks.isEmpty && page.elements.isEmpty ? nil : page
    }
  }

  private func program(_ page: Page) -> Program {
    // Lines that a page needs, and its readers do not, may also be in a file of the same name.
    let name = page.path.split(separator: "/").last.map(String.init) ?? ""
    let folder = "Tests/Documentation/Pages" + (compiler.package.map { "/\($0)" } ?? "")
    let path = "\(folder)/\(name.replacing(".md", with: ".swift"))"
    let prelude = try? String(contentsOf: compiler.root.appending(path: path), encoding: .utf8)
    return Program(page: page, prelude: prelude)
  }

  private func write(_ page: Page) throws -> URL {
    var program = program(page)
    return try write(program.source(), as: program.function)
  }

  private func write(_ source: String, as name: String) throws -> URL {
    let file = compiler.folder.appending(path: "\(name).swift")
    try source.write(to: file, atomically: true, encoding: .utf8)
    return file
  }

  private func checkWrong(_ page: Page, _ index: Int) throws -> [String] {
    let block = page.blocks[index]
    var program = program(page)
    let file = try write(program.source(with: index), as: "wrong")
    // Another error of the page says nothing about the block.
    let places = block.lines.indices.map { "\(page.path):\(block.firstLine + $0):" }
    let errors = try compiler.typeCheck([file]).filter { error in
      places.contains { error.hasPrefix($0) }
    }
    let place = "\(page.path):\(block.firstLine)"
    if errors.isEmpty { return ["\(place): error: compiles, and should not"] }
    let missing = (block.shown ?? []).filter { shown in !errors.contains { $0.contains(shown) } }
    return missing.map { line in
      """
      \(place): error: the compiler does not say: \(line)
      It says:
      \(errors.joined(separator: "\n"))
      """
    }
  }

  private func checkManifest(_ page: Page, _ index: Int) throws -> [String] {
    let block = page.blocks[index]
    let source = """
      import PackageDescription
      #sourceLocation(file: "\(page.path)", line: \(block.firstLine - 1))
      let package = Package(name: "Example",
      \(block.lines.map(Block.code(of:)).joined(separator: "\n")))
      """
    return try compiler.typeCheck(manifest: write(source, as: "manifest"))
  }

  private func main(_ pages: [Page]) -> String {
    let cases = pages.map { page in
      "case \"\(page.path)\": try await page_\(page.identifier)()\n"
    }
    return """
      @main
      struct Main {
        static func main() async throws {
          switch CommandLine.arguments[1] {
          \(cases.joined())default: break
          }
        }
      }
      """
  }

  /// Runs a page in a folder of its own, and compares what its blocks print with what they show.
  private func run(_ page: Page, _ executable: URL, _ outputs: inout Int) throws -> [String] {
    let place = compiler.folder.appending(path: "run-\(page.identifier)")
    try? FileManager.default.removeItem(at: place)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    let (status, text) = try compiler.run(executable.path, [page.path], in: place)
    var failures: [String] = []
    if status != 0 { failures.append("\(page.path):1: error: ended with \(status):\n\(text)") }
    var printed: [Int: [String]] = [:]
    var current: Int?
    for line in text.components(separatedBy: "\n") {
      if line.hasPrefix("\u{1}begin ") {
        current = Int(line.dropFirst(7))
      } else if line.hasPrefix("\u{1}end") {
        current = nil
      } else if let current {
        printed[current, default: []].append(line)
      }
    }
    for (index, block) in page.blocks.enumerated()
    where block.kind == .right && !block.isLeftOut && status == 0 {
      let printed = printed[index] ?? []
      let expected = block.expectedOutput ?? []
      guard !printed.isEmpty || !expected.isEmpty else { continue }
      outputs += 1
      if !Check.matches(printed, expected) {
        failures.append(
          """
          \(page.path):\(block.firstLine): error: prints
          \(printed.joined(separator: "\n"))
          and shows
          \(expected.joined(separator: "\n"))
          """)
      }
    }
    return failures
  }

  /// Whether lines are those that are shown, where `…` stands for anything, and a line of `…` for any
  /// lines.
  static func matches(_ lines: [String], _ shown: [String]) -> Bool {
    func clean(_ lines: [String]) -> [String] {
      lines.map { line in
        String(line.reversed().drop { $0 == " " }.reversed())
      }
    }
    return matches(clean(lines)[...], clean(shown)[...])
  }

  private static func matches(_ lines: ArraySlice<String>, _ shown: ArraySlice<String>) -> Bool {
    guard let first = shown.first else { return lines.isEmpty }
    if first == "…" {
      return (lines.startIndex...lines.endIndex).contains { index in
        matches(lines[index...], shown.dropFirst())
      }
    }
    guard let line = lines.first, matches(line, first) else { return false }
    return matches(lines.dropFirst(), shown.dropFirst())
  }

  private static func matches(_ line: String, _ shown: String) -> Bool {
    var rest = line[...]
    let parts = shown.components(separatedBy: "…")
    guard rest.hasPrefix(parts[0]) else { return false }
    rest = rest.dropFirst(parts[0].count)
    for part in parts.dropFirst() where !part.isEmpty {
      guard let range = rest.firstRange(of: part) else { return false }
      rest = rest[range.upperBound...]
    }
    return parts.count > 1 && parts.last == "" || rest.isEmpty
  }
}
