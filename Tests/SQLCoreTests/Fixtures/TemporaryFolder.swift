import Foundation

/// A folder with a name of its own, deleted with the value.
final class TemporaryFolder: Sendable {
  let path: String

  init(named name: String = "") throws {
    path = NSTemporaryDirectory() + "/apus-tests-\(UUID().uuidString)\(name)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The path of a file in the folder, which may not be there yet.
  func file(_ name: String = "database.sqlite") -> String {
    path + "/" + name
  }

  var fileNames: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? []
  }
}
