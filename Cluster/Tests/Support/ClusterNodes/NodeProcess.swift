import Foundation

/// A process of a node. It ends with this one, however this one ends: a shell beside the node waits
/// for the end of a pipe, and then kills it.
///
/// `@unchecked Sendable`: everything is constant.
package final class NodeProcess: @unchecked Sendable {
  private let process = Process()
  private let lifeline = Pipe()

  /// The shell becomes the program. The one that watches keeps no file but the pipe: `Process`
  /// believes a program to run while one of its descendants has the files of its own.
  private static let script = """
    exec 3<&0
    (
      for file in /dev/fd/*; do
        number=${file##*/}
        if ((number > 3)); then eval "exec $number>&-"; fi
      done 2>/dev/null
      read -r -u 3
      kill -9 $$
    ) </dev/null >/dev/null 2>&1 &
    exec "$@" 3<&- </dev/null
    """

  /// Starts a program. Its output is added to a file.
  package init(_ arguments: [String], log: URL) throws {
    if !FileManager.default.fileExists(atPath: log.path()) {
      _ = FileManager.default.createFile(atPath: log.path(), contents: nil)
    }
    let output = try FileHandle(forWritingTo: log)
    try output.seekToEnd()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["bash", "-c", Self.script, "node"] + arguments
    process.standardInput = lifeline
    process.standardOutput = output
    process.standardError = output
    // No other process keeps the pipe open.
    _ = fcntl(lifeline.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
    try process.run()
  }

  package var isRunning: Bool { process.isRunning }

  package func send(_ signal: Int32) {
    Foundation.kill(process.processIdentifier, signal)
  }

  package func kill() {
    guard process.isRunning else { return }
    send(SIGKILL)
    finish()
  }

  /// Asks the process to end, and kills it if it has not ended after ten seconds.
  package func end() {
    send(SIGTERM)
    let start = ContinuousClock.now
    while process.isRunning, ContinuousClock.now - start < .seconds(10) {
      Thread.sleep(forTimeInterval: 0.02)
    }
    if process.isRunning { send(SIGKILL) }
    finish()
  }

  private func finish() {
    try? lifeline.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  /// Runs a program to its end, for at most five seconds, and returns what it printed.
  package static func output(of arguments: [String], in folder: URL? = nil) throws -> String {
    let process = Process()
    process.currentDirectoryURL = folder
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["timeout", "5"] + arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }
}
