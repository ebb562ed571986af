import Foundation

/// A run of `DatabaseProcess`, which the package builds beside its tests.
final class ChildProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var unread = Data()

  init(_ arguments: String...) throws {
    process.executableURL = Self.executable
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  deinit {
    if process.isRunning { process.terminate() }
  }

  private static var executable: URL {
    // On Linux the tests are an executable in the same folder, on Apple's systems a bundle.
    let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
    let binary = URL(filePath: CommandLine.arguments[0])
    return (tests ?? binary).deletingLastPathComponent().appending(path: "DatabaseProcess")
  }

  /// Waits for the next line of output and returns it, or an empty string at the end.
  func line() -> String {
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        defer { unread.removeSubrange(...end) }
        return String(decoding: unread[..<end], as: UTF8.self)
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return "" }
      unread.append(more)
    }
  }

  /// Lets the process go on.
  func proceed() {
    input.fileHandleForWriting.write(Data("\n".utf8))
  }

  /// Kills the process and returns the rest of its output, line by line.
  func kill() -> [String] {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    unread.append(output.fileHandleForReading.readDataToEndOfFile())
    // The last line may be incomplete.
    return unread.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .dropLast().map { String(decoding: $0, as: UTF8.self) }
  }

  /// Waits for the end of the process and returns its exit code.
  func wait() -> Int32 {
    process.waitUntilExit()
    return process.terminationStatus
  }
}
