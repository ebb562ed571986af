import Foundation
import ToolOutput

/// A file that is written under a temporary name in the same folder, and renamed when it is
/// complete.
final class PartialFile {
  private let path: String
  private let url: URL
  private let part: URL
  private let handle: FileHandle
  private var failure: (any Error)?

  init(replacing path: String) throws {
    url = URL(filePath: path)
    self.path = path
    if let problem = Self.missingFolder(of: path) { throw ReadableError(problem) }
    part = url.deletingLastPathComponent()
      .appending(path: ".\(url.lastPathComponent).\(UUID().uuidString).part")
    do {
      try Data().write(to: part)
      handle = try FileHandle(forWritingTo: part)
    } catch {
      throw ReadableError(
        "\(path) cannot be written: its folder does not permit it, or its name is too long")
    }
  }

  /// Returns an error message if the folder of a path does not exist or is a file; nil otherwise.
  static func missingFolder(of path: String) -> String? {
    let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    guard !folder.isEmpty else { return nil }
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) else {
      return "the folder \(folder) does not exist; create it first, with `mkdir -p '\(folder)'`"
    }
    return isFolder.boolValue ? nil : "\(folder) is a file, not a folder"
  }

  deinit { try? FileManager.default.removeItem(at: part) }

  /// Writes a text. If writing fails, `complete()` throws the first error.
  func write(_ text: String) {
    guard failure == nil else { return }
    do { try handle.write(contentsOf: Data(text.utf8)) } catch { failure = error }
  }

  func complete() throws {
    if let failure { throw failure }
    try Interruption.check()
    try handle.synchronize()
    try handle.close()
    guard rename(part.path, url.path) == 0 else {
      throw ReadableError("\(path) cannot be written: \(String(cString: strerror(errno)))")
    }
  }
}
