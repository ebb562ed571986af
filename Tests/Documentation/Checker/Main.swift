import Foundation

/// Checks the documentation.
///
///     checker examples ROOT BINARIES FOLDER [--package PACKAGE] [PAGE …]    see `Scripts/examples`
///     checker links ROOT                                every relative link leads somewhere
///     checker articles ROOT CATALOGUE NAMES             writes the pages as articles of DocC, in which
///                                                       the names in this file are links
///     checker comments NAMES < COMMENTS                 links names in comments: each line has an array of
///                                                       a symbol's link and the lines of its comment
///     checker mentions PAGE < FILES                     sorts what mentions a symbol as PAGE has it
@main
struct Main {
  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch (arguments.first, arguments.count) {
    case ("examples", 4...): try checkExamples(Array(arguments.dropFirst()))
    case ("links", 2):
      let broken = try Site(root: URL(filePath: arguments[1])).brokenLinks()
      for line in broken { print(line) }
      exit(broken.isEmpty ? 0 : 1)
    case ("articles", 4):
      let names = try String(contentsOf: URL(filePath: arguments[3]), encoding: .utf8)
      try Site(root: URL(filePath: arguments[1])).writeArticles(
        to: URL(filePath: arguments[2]), SymbolLinks(names))
    case ("comments", 2):
      let symbols = SymbolLinks(
        try String(contentsOf: URL(filePath: arguments[1]), encoding: .utf8))
      while let line = readLine() {
        let comment = try JSONDecoder().decode([String].self, from: Data(line.utf8))
        let linked = symbols.linking(Array(comment.dropFirst()), of: comment.first ?? "")
        print(String(decoding: try JSONEncoder().encode(linked), as: UTF8.self))
      }
    case ("mentions", 2):
      let mentions = try Mentions(page: URL(filePath: arguments[1]))
      while let path = readLine() { try mentions.sort(in: URL(filePath: path)) }
    default:
      print("usage: checker examples|links|articles|comments|mentions  …")
      exit(2)
    }
  }

  private static func checkExamples(_ paths: [String]) throws {
    var names = Array(paths.dropFirst(3))
    var package: String?
    if names.first == "--package", names.count > 1 {
      package = names[1]
      names.removeFirst(2)
    }
    var check = Check(
      compiler: Compiler(
        root: URL(filePath: paths[0]), binaries: URL(filePath: paths[1]),
        folder: URL(filePath: paths[2]), package: package))
    let failures = try check.run(only: names)
    for failure in failures { print(failure) }
    print("\(check.summary); \(failures.count) failures")
    exit(failures.isEmpty ? 0 : 1)
  }
}
