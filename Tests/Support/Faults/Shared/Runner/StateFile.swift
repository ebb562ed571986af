import Foundation

/// A file of the finished parts, so that a run that was stopped can continue. Its first line names
/// the commit and the seed; each further line is a part, as JSON.
final class StateFile {
  struct Done: Codable {
    var tally: Tally
    var seconds: Double
  }

  private struct Line: Codable {
    var key: String
    var done: Done
  }

  private let path: String?
  private let head: String
  /// The seed of the run that was stopped.
  private(set) var seed: UInt64?
  private(set) var done: [String: Done] = [:]

  init(path: String?, head: String) {
    self.path = path
    self.head = head
    guard let path, let data = FileManager.default.contents(atPath: path) else { return }
    var lines = String(decoding: data, as: UTF8.self).split(separator: "\n")[...]
    // A file of another commit is ignored.
    guard let first = lines.popFirst(), first.hasPrefix(head + " "),
      let seed = UInt64(first.dropFirst(head.count + 1))
    else { return }
    self.seed = seed
    for line in lines {
      guard let line = try? JSONDecoder().decode(Line.self, from: Data(line.utf8)) else { continue }
      done[line.key] = line.done
    }
  }

  func begin(seed: UInt64) {
    guard let path, self.seed != seed else { return }
    done = [:]
    self.seed = seed
    _ = FileManager.default.createFile(atPath: path, contents: Data("\(head) \(seed)\n".utf8))
  }

  func add(_ part: Part, _ tally: Tally, seconds: Double) {
    guard let path, let handle = FileHandle(forWritingAtPath: path),
      let data = try? JSONEncoder().encode(
        Line(key: part.key, done: Done(tally: tally, seconds: seconds)))
    else { return }
    handle.seekToEndOfFile()
    handle.write(data + Data("\n".utf8))
    try? handle.close()
  }

  func remove() {
    if let path { try? FileManager.default.removeItem(atPath: path) }
  }
}
