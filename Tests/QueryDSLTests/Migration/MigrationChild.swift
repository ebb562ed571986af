import Foundation

/// A process of `MigrationProcess`, which the package builds together with its tests.
final class MigrationChild {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var unread = Data()

  /// - Parameter waits: Whether the process waits for `proceed()` before each statement.
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

  /// Waits for the next line that the process prints. The line is empty at the end.
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

  /// Lets the process run the statement before which it waits.
  func proceed() {
    input.fileHandleForWriting.write(Data("\n".utf8))
  }

  /// Waits for the end of the process, and returns how many statements it ran.
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
