/// Makes links of the names of symbols in a page. Each symbol is linked where the page mentions it first.
struct SymbolLinks {
  /// The link of each name: `ChangeLog.Entry`, or `fetch()` for a function.
  private let links: [String: String]
  private var linked: Set<String> = []
  /// Whether `fetch` is linked, and not only `Database.fetch`.
  private var linksBareMethods = true

  /// - Parameter names: a line for each name, with its link after a tab.
  init(_ names: String) {
    let pairs = names.split(separator: "\n").compactMap { line -> (String, String)? in
      let parts = line.split(separator: "\t")
      return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
    }
    links = Dictionary(pairs) { first, _ in first }
  }

  /// Returns the comment of the symbol with a link, with links to other types and their members. The
  /// bare name of a method means the method of the type to which the comment belongs.
  func linking(_ comment: [String], of symbol: String) -> [String] {
    var links = self
    links.linksBareMethods = false
    links.linked = [symbol]
    var isCode = false
    return comment.map { line in
      if line.trimmingPrefix(while: { $0 == " " }).hasPrefix("```") { isCode.toggle() }
      return isCode || line.hasPrefix("    ") ? line : links.link(line)
    }
  }

  /// Returns the name of a page's article. DocC drops an article that has the name of a symbol.
  func article(_ page: String) -> String { links[page] == nil ? page : page + "Page" }

  /// Returns a line whose code has links.
  mutating func link(_ line: String) -> String {
    var result = ""
    var rest = line[...]
    while let start = rest.firstIndex(of: "`") {
      let marks = rest[start...].prefix { $0 == "`" }
      let content = rest[marks.endIndex...]
      guard let end = content.firstRange(of: String(marks)) else { break }
      // The title of a link stays as it is.
      let before = result + rest[..<start]
      let isTitle =
        (before.lastIndex(of: "[") ?? before.startIndex)
        > (before.lastIndex(of: "]") ?? before.startIndex)
      result += rest[..<start]
      let code = String(content[..<end.lowerBound])
      let whole = rest[start..<end.upperBound]
      result += (isTitle || marks.count > 1 ? nil : link(code: code)) ?? String(whole)
      rest = rest[end.upperBound...]
    }
    return result + rest
  }

  /// Returns the links of the types, functions and methods of a database that a line of Swift uses and
  /// no text of the page has linked.
  mutating func links(swift line: String) -> [String] {
    var found: [String] = []
    var rest = line[...]
    if let comment = rest.firstRange(of: "//") { rest = rest[..<comment.lowerBound] }
    while let start = rest.firstIndex(where: { $0.isLetter }) {
      let word = rest[start...].prefix { $0.isLetter || $0.isNumber || $0 == "_" }
      let before = line[..<start]
      rest = rest[word.endIndex...]
      let isOfDatabase = ["db.", "tx.", "database."].contains { before.hasSuffix($0) }
      guard isOfDatabase || (word.first?.isUppercase == true && before.last != ".") else {
        continue
      }
      let target =
        isOfDatabase
        ? links["db.\(word)()"]
        : (rest.first == "(" ? links[word + "()"] : nil) ?? links[String(word)]
      guard let target, linked.insert(target).inserted else { continue }
      found.append("``\(target)``")
    }
    return found
  }

  private mutating func link(code: String) -> String? {
    var name = String(code.prefix { $0 != "(" && $0 != " " })
    let hasArguments = name.count < code.count
    for receiver in ["tx.", "database.", "connection."] where name.hasPrefix(receiver) {
      name = "db." + name.dropFirst(receiver.count)
    }
    guard linksBareMethods || name.first?.isUppercase == true else { return nil }
    // `Trigger(_:after:)` is a function whose labels begin so.
    let labels = code.hasSuffix(":)") ? links.keys.filter { $0.hasPrefix(code.dropLast()) } : []
    let function = labels.min().flatMap { links[$0] } ?? links[name + "()"]
    guard let target = hasArguments ? function ?? links[name] : links[name] ?? function,
      linked.insert(target).inserted
    else { return nil }
    // A call keeps its arguments. All other names are shown as DocC shows a symbol.
    return hasArguments && code != name + "()" ? "[`\(code)`](doc:\(target))" : "``\(target)``"
  }
}
