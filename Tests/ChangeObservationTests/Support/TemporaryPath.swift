import Foundation

/// The path of a file in a temporary folder that is deleted with this object.
final class TemporaryPath: Sendable {
  let path: String
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appending(path: "apus-observation-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    path = folder.appending(path: "db.sqlite").path()
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }
}
