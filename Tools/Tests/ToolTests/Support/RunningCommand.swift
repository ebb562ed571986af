import Foundation

/// A run of a program that goes on until it is ended, or until a test types something.
final class RunningCommand: Sendable {
  private let process: Process
  private let files: TestFolder
  private let input: FileHandle

  /// Starts `apus` of this build. Its temporary files are in the folder `temporary`.
  convenience init(_ arguments: String..., temporary: URL) throws {
    try self.init(
      Command.product("apus"), arguments, environment: ["TMPDIR": temporary.path])
  }

  /// Starts a program. It can read what the test types.
  init(_ program: URL, _ arguments: [String], environment: [String: String] = [:]) throws {
    files = try TestFolder()
    process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    for name in ["output", "errors"] { try Data().write(to: files.file(name)) }
    process.standardOutput = try FileHandle(forWritingTo: files.file("output"))
    process.standardError = try FileHandle(forWritingTo: files.file("errors"))
    let pipe = Pipe()
    process.standardInput = pipe
    input = pipe.fileHandleForWriting
    try process.run()
  }

  /// Starts `apus` of this build on a terminal. Both outputs are `output`.
  static func onTerminal(
    _ arguments: [String], columns: Int = 80, lines: Int = 24, environment: [String: String] = [:]
  ) throws -> RunningCommand {
    try RunningCommand(
      URL(filePath: "/usr/bin/env"),
      [
        "script", "-qefc",
        "stty cols \(columns) rows \(lines) && \(try Command.shellText("apus", arguments))",
        "/dev/null",
      ], environment: ["TERM": "xterm", "NO_COLOR": ""].merging(environment) { $1 })
  }

  deinit { if process.isRunning { process.terminate() } }

  var output: String { text("output") }
  var errors: String { text("errors") }

  private func text(_ name: String) -> String {
    String(decoding: (try? Data(contentsOf: files.file(name))) ?? Data(), as: UTF8.self)
  }

  /// Waits until the standard error or the output contains a text. Throws if the program ends first.
  func wait(for text: String) async throws {
    try await wait(until: { self.errors.contains(text) || self.output.contains(text) }, text)
  }

  /// Waits for a condition. Throws if the program ends first.
  func wait(until condition: () async throws -> Bool, _ name: String = "") async throws {
    while try await !condition() {
      guard process.isRunning else {
        throw Command.Failure(description: "apus ended before \(name): \(errors)\(output)")
      }
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  /// Whether this system lists the signals that a process handles.
  static let knowsHandlers = FileManager.default.fileExists(atPath: "/proc/self/status")

  /// Waits until the program handles a signal itself.
  func wait(untilHandling signal: Int32) async throws {
    try await wait(until: {
      let status = try? String(
        contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
      let line = status?.split(separator: "\n").first { $0.hasPrefix("SigCgt:") }
      let mask = line.flatMap { UInt64($0.split(separator: "\t").last ?? "", radix: 16) } ?? 0
      return mask & 1 << UInt64(signal - 1) != 0
    })
  }

  /// Types a text.
  func type(_ text: String) throws { try input.write(contentsOf: Data(text.utf8)) }

  /// Interrupts the program as Ctrl-C does, and returns its exit status.
  func interrupt() async throws -> Int32 { try await end(by: SIGINT) }

  /// Sends a signal, and returns the exit status.
  func end(by signal: Int32) async throws -> Int32 {
    if process.isRunning { kill(process.processIdentifier, signal) }
    return try await status()
  }

  /// Waits for the end of the program, and returns its exit status.
  func status() async throws -> Int32 {
    while process.isRunning { try await Task.sleep(for: .milliseconds(10)) }
    guard process.terminationReason == .exit else {
      throw Command.Failure(description: "signal \(process.terminationStatus) ended the program")
    }
    return process.terminationStatus
  }
}
