import Foundation

/// A folder with a unique name that is deleted with this object.
final class TemporaryFolder: Sendable {
  let path: String

  init(named name: String = "") throws {
    path = NSTemporaryDirectory() + "/apus-tests-\(UUID().uuidString)\(name)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Returns the path of a file in the folder, which need not exist yet.
  func file(_ name: String = "database.sqlite") -> String {
    path + "/" + name
  }

  var fileNames: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? []
  }
}
