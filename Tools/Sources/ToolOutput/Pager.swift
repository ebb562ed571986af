import Foundation

/// The program that shows a long output page by page, such as `less`.
///
/// It ends when the user leaves it; the program waits for that when the value is released.
package final class Pager {
  private let process: Process
  private let input: FileHandle

  private init(_ process: Process, _ input: FileHandle) {
    self.process = process
    self.input = input
  }

  deinit {
    try? input.close()
    process.waitUntilExit()
  }

  /// Starts the program that the variable PAGER names, or else `less`. Returns nil if the output is
  /// no terminal, if PAGER is empty or `cat`, or if there is no such program.
  package static func start() -> Pager? {
    let environment = ProcessInfo.processInfo.environment
    guard Terminal.isOutput, environment["TERM"] != "dumb",
      let command = command(environment), !command.isEmpty, command != "cat"
    else { return nil }
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", command]
    // A short output appears without a page, colours are kept, and the screen is not cleared.
    process.environment = ["LESS": "FRX", "LESSCHARSET": "utf-8"].merging(environment) { $1 }
    let pipe = Pipe()
    process.standardInput = pipe
    guard (try? process.run()) != nil else { return nil }
    return Pager(process, pipe.fileHandleForWriting)
  }

  private static func command(_ environment: [String: String]) -> String? {
    if let command = environment["PAGER"] { return command }
    let folders = (environment["PATH"] ?? "").split(separator: ":")
    return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/less") }
      ? "less" : nil
  }

  /// Passes text to the program. If the user has left it, this process ends by SIGPIPE, as every
  /// program in front of a pager does.
  package func write(_ text: String) {
    StandardOutput.write(text, to: input.fileDescriptor)
  }
}
