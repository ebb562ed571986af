import Foundation

/// A command of a tutorial while it runs.
final class Running {
  private let process = Process()
  private let output = Pipe()
  private var rest = Data()
  private var isAtEnd = false

  /// Starts a command of the shell. `path` is a folder with programs that it may name.
  init(_ command: String, in place: URL, path: String) throws {
    process.executableURL = URL(filePath: "/bin/bash")
    // The shell gives way to the program, so that ending the process ends it.
    process.arguments = ["-c", command.contains("|") ? command : "exec \(command)"]
    process.currentDirectoryURL = place
    var environment = ProcessInfo.processInfo.environment
    environment["PATH"] = "\(path):\(environment["PATH"] ?? "/usr/bin:/bin")"
    process.environment = environment
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = output
    try process.run()
  }

  /// Returns the next lines of the output, or all of them if `count` is nil. There are fewer if the
  /// program ends, or prints nothing for a minute.
  func lines(_ count: Int?) -> [String] {
    var lines: [String] = []
    while count.map({ lines.count < $0 }) ?? true {
      if let end = rest.firstIndex(of: 10) {
        lines.append(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
        rest = Data(rest[rest.index(after: end)...])
      } else if isAtEnd {
        if !rest.isEmpty { lines.append(String(decoding: rest, as: UTF8.self)) }
        rest = Data()
        break
      } else {
        let descriptor = output.fileHandleForReading.fileDescriptor
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard Foundation.poll(&poll, 1, 60_000) > 0 else {
          end()
          lines.append("(nothing for a minute)")
          break
        }
        let data = output.fileHandleForReading.availableData
        isAtEnd = data.isEmpty
        rest += data
      }
    }
    return lines
  }

  func end() {
    if process.isRunning { process.terminate() }
    process.waitUntilExit()
  }
}
