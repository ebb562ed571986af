import Foundation

/// A folder for the files of a trial, in memory where the system has such a place: what is tried is
/// the order of writes, not the disk.
final class Folder: Sendable {
  let path: String

  /// Files whose path begins so may be made to fail.
  static let watched = parent + "/apus-faults-"
  private static let unwatched = parent + "/apus-images-"

  private static let parent: String = {
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

  /// Copies a database, with what belongs to it, from another folder.
  func copy(_ name: String, from other: Folder) throws {
    for suffix in ["", "-wal", "-journal"] {
      let from = other.file(name + suffix)
      guard FileManager.default.fileExists(atPath: from) else { continue }
      try FileManager.default.copyItem(atPath: from, toPath: file(name + suffix))
    }
  }
}
