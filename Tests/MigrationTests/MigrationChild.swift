import Foundation

/// A process of `MigrationProcess`, which the package builds together with its tests.
final class MigrationChild {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var unread = Data()

  /// - Parameter waits: Whether the process waits for `proceed()` before each statement.
  convenience init(_ path: String, _ kind: String, waits: Bool = false) throws {
    try self.init(path, arguments: [kind] + (waits ? ["waits"] : []))
  }

  /// - Parameter arguments: The arguments after the path; `MigrationProcess` lists them.
  init(_ path: String, arguments: [String]) throws {
    let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
    let binary = URL(filePath: CommandLine.arguments[0])
    process.executableURL = (tests ?? binary).deletingLastPathComponent()
      .appending(path: "MigrationProcess")
    process.arguments = [path] + arguments
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
  @discardableResult
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

  /// Waits for its end, and returns the error that it prints, or nil if it succeeds.
  func failure() throws -> String? {
    var last = line()
    while last != "done", !last.hasPrefix("failed: ") {
      guard !last.isEmpty else { throw Ended(line: last) }
      last = line()
    }
    var text = last
    // The message of an error may have several lines, some of them empty.
    text += String(decoding: unread, as: UTF8.self)
    unread = Data()
    text += String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    wait()
    return last == "done" ? nil : text
  }

  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    wait()
  }

  func wait() { process.waitUntilExit() }
}
