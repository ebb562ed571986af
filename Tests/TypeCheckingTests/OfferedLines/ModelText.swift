import Apus
import Foundation

/// The texts of `OfferedModels`, out of their files.
struct ModelTexts {
  /// The file with the types of their columns.
  let types: String
  private var models: [String: String] = [:]

  struct NotFound: Error {
    let model: String
  }

  init() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    func file(_ name: String) throws -> String {
      try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }
    types = try file("OfferedLineTypes.swift")
    for name in ["OfferedModels.swift", "OfferedModels+Tables.swift"] {
      var lines: [Substring] = []
      for line in try file(name).split(separator: "\n", omittingEmptySubsequences: false) {
        if line.hasPrefix("  struct ") { lines = [] }
        lines.append(line)
        guard line == "  }", let words = lines.first?.split(separator: " "), words.count > 1 else {
          continue
        }
        models[String(words[1].dropLast())] = lines.joined(separator: "\n")
      }
    }
  }

  func model(_ type: any Model.Type) throws -> ModelText {
    let name = String(describing: type)
    guard let text = models[name] else { throw NotFound(model: name) }
    return ModelText(name: name, tableName: type.tableName, text: text)
  }
}

/// The text of a model, into which lines are pasted.
struct ModelText {
  let name: String
  let tableName: String
  var text: String

  var isView: Bool { text.contains("SQLView {") }

  private var lines: [String] {
    get { text.split(separator: "\n").map(String.init) }
    set { text = newValue.joined(separator: "\n") }
  }

  /// The property that a line declares: "@Column var `class`".
  static func property(in line: String) -> Substring? {
    line.firstMatch(of: #/var (`[^`]*`|\w+)(:| =)/#).map { $0.1 }
  }

  func declares(_ property: Substring) -> Bool {
    lines.contains { $0.contains("@") && Self.property(in: $0) == property }
  }

  /// Puts a line in its place, and takes away what it replaces.
  mutating func paste(_ line: String) {
    let indented = "    " + line
    if line.hasPrefix("name: ") {
      // An argument of the index.
      guard let index = lines.firstIndex(where: { $0.contains(" Index(") }),
        let end = lines[index].firstIndex(of: ")")
      else { return }
      lines[index].insert(contentsOf: ", \(line)", at: end)
    } else if line.hasPrefix("static let tableName") {
      replace({ $0.contains("static let tableName") }, by: indented)
    } else if line.hasPrefix("@") {
      pasteProperty(line)
    } else {
      pasteSchema(line)
    }
  }

  private mutating func replace(_ isOld: (String) -> Bool, by line: String) {
    guard let index = lines.firstIndex(where: isOld) else { return }
    lines[index] = line
  }

  private mutating func pasteProperty(_ line: String) {
    guard let property = Self.property(in: line) else { return }
    if line.contains("// without `Stored`") {
      lines.removeAll { $0.contains(" Stored(\\.$\(property)") }
    }
    if declares(property) {
      replace({ $0.contains("@") && Self.property(in: $0) == property }, by: "    " + line)
    } else if let key = lines.firstIndex(where: { $0.contains("@PrimaryKey") }) {
      lines.insert("    " + line, at: key + 1)
    }
  }

  private mutating func pasteSchema(_ line: String) {
    let replaced = Self.replaced(by: line)
    lines.removeAll { old in replaced.contains { old.hasPrefix("      " + $0) } }
    if let schema = lines.firstIndex(where: { $0.contains("static var schema:") }) {
      lines.insert("      " + line, at: schema + 1)
    } else {
      lines.insert(
        contentsOf: ["    static var schema: Schema<\(name)> {", "      " + line, "    }"],
        at: lines.count - 1)
    }
  }

  /// The beginnings of the lines that a line replaces.
  private static func replaced(by line: String) -> [String] {
    guard line != "WithRowID()" else { return ["WithoutRowID()"] }
    // A `Dropped` or `Converted` stands beside others.
    guard let match = line.firstMatch(of: #/^(\w+)\(\\\.([^,)]*)/#) else { return [] }
    let path = match.2
    switch match.1 {
    case "Index": return ["Index(\\.\(path)", "Unique(\\.\(path)", "Unique { $0.\(path)"]
    case "Unique", "Default", "Stored", "Named", "Collated": return ["\(match.1)(\\.\(path)"]
    default: return []
    }
  }
}
