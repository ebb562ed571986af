import Foundation

/// A folder for the files of a trial. It is in memory if the system has such a place: the order of
/// writes is tried, not the disk.
final class Folder: Sendable {
  let path: String

  /// The prefix of the paths whose files may be made to fail.
  static let watched = parent + "/watched-"
  private static let unwatched = parent + "/plain-"

  /// The folder that contains those of all processes of a run, including the processes that are
  /// killed.
  private static let parent =
    ProcessInfo.processInfo.environment[variable] ?? memory + "/apus-faults"
  private static let variable = "FAULTS_FOLDER"

  /// Creates the parent folder for this process and those that it starts. `endRun` removes it with
  /// all that is left in it.
  static func beginRun() throws {
    let path = memory + "/apus-faults-" + UUID().uuidString.lowercased()
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    setenv(variable, path, 1)
  }

  static func endRun() {
    if ProcessInfo.processInfo.environment[variable] != nil {
      try? FileManager.default.removeItem(atPath: parent)
    }
  }

  private static let memory: String = {
    var isFolder: ObjCBool = false
    let hasMemory = FileManager.default.fileExists(atPath: "/dev/shm", isDirectory: &isFolder)
    return hasMemory && isFolder.boolValue && FileManager.default.isWritableFile(atPath: "/dev/shm")
      ? "/dev/shm" : FileManager.default.temporaryDirectory.path()
  }()

  /// - Parameter isWatched: whether files in it may be made to fail.
  init(isWatched: Bool = true) throws {
    path = (isWatched ? Self.watched : Self.unwatched) + UUID().uuidString.lowercased()
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { path + "/" + name }

  var files: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] }

  func removeAll() {
    for name in files { try? FileManager.default.removeItem(atPath: file(name)) }
  }

  /// Copies a database, with its log or journal, from another folder.
  func copy(_ name: String, from other: Folder) throws {
    for suffix in ["", "-wal", "-journal"] {
      let from = other.file(name + suffix)
      guard FileManager.default.fileExists(atPath: from) else { continue }
      try FileManager.default.copyItem(atPath: from, toPath: file(name + suffix))
    }
  }
}
