import Foundation

/// The line above a block of the tutorial that names the block's file, such as
/// `` `Sources/reading/Book.swift` (changed) ``.
struct TutorialFile {
  let path: String
  /// Whether no earlier step shows the file.
  let isNew: Bool

  init?(line: String) {
    guard line.hasPrefix("`"), line.hasSuffix("` (new)") || line.hasSuffix("` (changed)") else {
      return nil
    }
    isNew = line.hasSuffix("(new)")
    path = String(line.dropFirst().prefix { $0 != "`" })
  }

  /// The files of a tutorial, as the steps so far show them.
  struct Folder {
    private var files: [String: [String]] = [:]

    /// Adds the files of a page. Returns a line for each block that is "new" and not the first of its
    /// file, or "changed" and the first, and the numbers of the changed lines by the blocks' first line.
    mutating func add(
      _ page: String, _ text: String
    ) -> (wrong: [String], changes: [Int: [Int]]) {
      var wrong: [String] = []
      var changes: [Int: [Int]] = [:]
      let lines = text.components(separatedBy: "\n")
      for (index, line) in lines.enumerated() {
        guard let file = TutorialFile(line: line) else { continue }
        let content = Array(lines.dropFirst(index + 2).prefix { $0 != "```" })
        let old = files.updateValue(content, forKey: file.path)
        if file.isNew != (old == nil) {
          let word = file.isNew ? "is not new: an earlier block shows it" : "is new"
          wrong.append("\(page):\(index + 1): error: the file \(word)")
        }
        guard let old else { continue }
        changes[index] = content.difference(from: old).insertions.compactMap { change in
          guard case .insert(let offset, let line, _) = change, !line.isEmpty else { return nil }
          return offset + 1
        }
      }
      return (wrong, changes)
    }
  }
}
