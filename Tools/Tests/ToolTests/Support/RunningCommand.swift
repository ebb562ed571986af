import Foundation

/// A run of `apus` that goes on until it is interrupted.
final class RunningCommand: Sendable {
  private let process: Process
  private let files: TestFolder

  /// Starts `apus` of this build. Its temporary files are in the folder `temporary`.
  init(_ arguments: String..., temporary: URL) throws {
    files = try TestFolder()
    process = Process()
    process.executableURL = try Command.product("apus")
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["TMPDIR": temporary.path]) { $1 }
    for name in ["output", "errors"] { try Data().write(to: files.file(name)) }
    process.standardOutput = try FileHandle(forWritingTo: files.file("output"))
    process.standardError = try FileHandle(forWritingTo: files.file("errors"))
    try process.run()
  }

  deinit { if process.isRunning { process.terminate() } }

  var output: String { text("output") }
  var errors: String { text("errors") }

  private func text(_ name: String) -> String {
    String(decoding: (try? Data(contentsOf: files.file(name))) ?? Data(), as: UTF8.self)
  }

  /// Waits until the standard error or the output contains a text. Throws if the program ends first.
  func wait(for text: String) async throws {
    while !errors.contains(text), !output.contains(text) {
      guard process.isRunning else {
        throw Command.Failure(description: "apus ended before it wrote \(text): \(errors)")
      }
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  /// Interrupts the program as Ctrl-C does, and returns its exit status.
  func interrupt() async throws -> Int32 {
    process.interrupt()
    while process.isRunning { try await Task.sleep(for: .milliseconds(10)) }
    return process.terminationStatus
  }
}
