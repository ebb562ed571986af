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

/// A run of `DatabaseProcess`, which the package builds beside its tests.
enum OtherProcess {
  /// Adds rows to the table `item` of a file, each in a transaction of its own.
  static func add(_ count: Int, to path: String) throws -> Process {
    try run(["add", path, "\(count)"])
  }

  static func run(_ arguments: [String]) throws -> Process {
    let process = Process()
    // On Linux the tests are an executable in the same folder, on Apple's systems a bundle.
    let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
    let binary = tests ?? URL(filePath: CommandLine.arguments[0])
    process.executableURL = binary.deletingLastPathComponent().appending(path: "DatabaseProcess")
    process.arguments = arguments
    process.standardOutput = Pipe()
    try process.run()
    return process
  }
}
