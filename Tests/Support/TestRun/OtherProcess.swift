import Foundation

/// A run of `DatabaseProcess`, which the package builds beside its tests.
public enum OtherProcess {
  /// Adds rows to the table `item` of a file, each in a transaction of its own.
  public static func add(_ count: Int, to path: String) throws -> Process {
    try run(["add", path, "\(count)"])
  }

  /// Runs the process with its arguments.
  public static func run(_ arguments: [String]) throws -> Process {
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
