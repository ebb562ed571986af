import Foundation
import Synchronization

/// The steps that a child reported as done and as observed, by task.
struct ChildReports {
  var acknowledged: [Int: Int] = [:]
  var observed: [Int: Int] = [:]

  mutating func take(_ line: String) {
    let words = line.split(separator: " ")
    guard words.count == 3, let task = Int(words[1]), let number = Int(words[2]) else { return }
    if words[0] == "did" { acknowledged[task] = max(number, acknowledged[task] ?? 0) }
    if words[0] == "saw" { observed[task] = max(number, observed[task] ?? 0) }
  }
}

/// A process of this program, and its output.
final class ChildProcess {
  private let process = Process()
  private let output = Pipe()
  private let errorOutput = Pipe()
  private var unread = Data()
  private var reports = ChildReports()

  init(_ arguments: [String]) throws {
    process.executableURL = URL(filePath: CommandLine.arguments[0])
    process.arguments = ["child"] + arguments
    process.standardOutput = output
    process.standardError = errorOutput
    try process.run()
  }

  deinit {
    if process.isRunning { _ = kill() }
  }

  var isRunning: Bool { process.isRunning }

  /// The error output, once the process has ended by itself.
  var errors: String {
    guard !process.isRunning else { return "" }
    return String(decoding: errorOutput.fileHandleForReading.availableData, as: UTF8.self)
  }

  /// Waits for the next line that it prints and returns it; nil at the end.
  func line() -> String? {
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: unread[..<end], as: UTF8.self)
        unread.removeSubrange(...end)
        reports.take(line)
        return line
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return nil }
      unread.append(more)
    }
  }

  /// Kills the process, and returns all that it reported.
  func kill() -> ChildReports {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    while line() != nil {}
    return reports
  }

  /// Kills the process a random moment after some lines, and returns all that it reported.
  ///
  /// - Parameters:
  ///   - lines: The lines to wait for. After none, the pause is long enough for it to begin.
  ///   - pause: The longest pause after the last of them, in microseconds.
  func kill(
    afterLines lines: Int, pause: UInt32, _ random: inout SeededGenerator
  ) throws -> ChildReports {
    for _ in 0..<lines { if line() == nil { break } }
    usleep(UInt32.random(in: 0...(lines == 0 ? 60_000 : pause), using: &random))
    try require(isRunning, "the child ended by itself: \(errors)")
    return kill()
  }

  /// Waits until the process ends, and returns its status.
  func end() -> Int32 {
    while line() != nil {}
    process.waitUntilExit()
    return process.terminationReason == .exit ? process.terminationStatus : -1
  }
}
