import Foundation

/// A program that has ended.
struct Command: Sendable {
  let status: Int32
  let output: String
  let errors: String

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Runs a program to its end. The test holds no thread of the tasks meanwhile.
  static func run(
    _ program: URL, _ arguments: [String], input: String? = nil,
    environment: [String: String] = [:]
  ) async throws -> Command {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(
          with: Result { try wait(for: program, arguments, input, environment) })
      }
    }
  }

  private static func wait(
    for program: URL, _ arguments: [String], _ input: String?, _ environment: [String: String]
  ) throws -> Command {
    // Files instead of pipes: a program whose pipe is full would wait for ever.
    let folder = try TestFolder()
    let names = ["input", "output", "errors"].map { folder.file($0) }
    for name in names { try Data((name == names[0] ? input ?? "" : "").utf8).write(to: name) }
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = try FileHandle(forReadingFrom: names[0])
    process.standardOutput = try FileHandle(forWritingTo: names[1])
    process.standardError = try FileHandle(forWritingTo: names[2])
    try process.run()
    process.waitUntilExit()
    guard process.terminationReason == .exit else {
      let errors = try String(contentsOf: names[2], encoding: .utf8)
      throw Failure(description: "\(program.lastPathComponent) crashed: \(errors)")
    }
    return Command(
      status: process.terminationStatus,
      output: String(decoding: try Data(contentsOf: names[1]), as: UTF8.self),
      errors: String(decoding: try Data(contentsOf: names[2]), as: UTF8.self))
  }

  /// Runs `apus` of this build.
  static func apus(
    _ arguments: String..., input: String? = nil, environment: [String: String] = [:]
  ) async throws -> Command {
    try await run(product("apus"), arguments, input: input, environment: environment)
  }

  /// Runs `apus` of this build, or another program of it, on a terminal. Both outputs are `output`, with line feeds only.
  static func apusOnTerminal(
    _ arguments: String..., columns: Int = 80, environment: [String: String] = [:]
  ) async throws -> Command {
    try await apusOnTerminal(list: arguments, columns: columns, environment: environment)
  }

  static func apusOnTerminal(
    list arguments: [String], program: String = "apus", columns: Int = 80,
    environment: [String: String] = [:]
  ) async throws -> Command {
    let line = try shellText(program, arguments)
    let run = try await run(
      URL(filePath: "/usr/bin/env"),
      ["script", "-qec", "stty cols \(columns) && \(line)", "/dev/null"],
      environment: ["TERM": "xterm", "NO_COLOR": "", "PAGER": ""].merging(environment) { $1 })
    return Command(
      status: run.status, output: run.output.replacing("\r\n", with: "\n"), errors: run.errors)
  }

  /// Returns the command of a shell that runs a program of this build.
  static func shellText(_ name: String, _ arguments: [String]) throws -> String {
    ([try product(name).path] + arguments)
      .map { "'" + $0.replacing("'", with: "'\\''") + "'" }.joined(separator: " ")
  }

  /// Returns a program of this build.
  static func product(_ name: String) throws -> URL {
    try Toolchain.find().modules.deletingLastPathComponent().appending(path: name)
  }

  /// Runs a script in the shell `sqlite3`, and returns what it prints. Throws if it fails.
  @discardableResult
  static func sqlite(_ file: URL, _ script: String) async throws -> String {
    let shell = try await run(
      URL(filePath: "/usr/bin/env"), ["sqlite3", "-batch", "-bail", file.path], input: script)
    guard shell.status == 0, shell.errors.isEmpty else {
      throw Failure(description: "sqlite3 ended with \(shell.status): \(shell.errors)")
    }
    return shell.output
  }
}

/// A folder for the files of one test, which is removed with the value.
final class TestFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory
      .appending(path: "apus-tool-\(UUID().uuidString)", directoryHint: .isDirectory)
      .resolvingSymlinksInPath()
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func file(_ name: String) -> URL { url.appending(path: name) }

  /// Makes a file in WAL mode with the shell.
  func database(named name: String = "test.sqlite", _ script: String) async throws -> URL {
    let file = file(name)
    try await Command.sqlite(file, "PRAGMA journal_mode = WAL;\n" + script)
    return file
  }
}
