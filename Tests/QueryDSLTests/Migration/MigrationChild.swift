import Foundation

/// A run of `MigrationProcess`, which the package builds beside its tests.
final class MigrationChild {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var unread = Data()

  /// - Parameter waits: whether it waits for `proceed()` before each statement.
  init(_ path: String, _ kind: String, waits: Bool = false) throws {
    let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
    let binary = URL(filePath: CommandLine.arguments[0])
    process.executableURL = (tests ?? binary).deletingLastPathComponent()
      .appending(path: "MigrationProcess")
    process.arguments = [path, kind] + (waits ? ["waits"] : [])
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  deinit {
    if process.isRunning { kill() }
  }

  /// The next line that it prints, waiting for it; empty at the end.
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

  /// Lets it run the statement that it waits before.
  func proceed() {
    input.fileHandleForWriting.write(Data("\n".utf8))
  }

  /// Waits for its end; how many statements it ran.
  func runToEnd() throws -> Int {
    var count = 0
    var last = line()
    while last != "done" {
      guard !last.isEmpty, !last.hasPrefix("failed") else { throw Ended(line: last) }
      count += 1
      last = line()
    }
    wait()
    return count
  }

  struct Ended: Error {
    let line: String
  }

  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    wait()
  }

  func wait() { process.waitUntilExit() }
}
