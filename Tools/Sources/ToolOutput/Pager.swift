#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
import Foundation
@_spi(Tools) import SQLCore

/// A pager for output on a terminal. If the output does not fit the screen, a program such as
/// `less` shows it page by page.
package final class Pager {
  private let command: String
  private let height: Int
  private let width: Int
  /// The text that is held back as long as it fits the screen.
  private var waiting = ""
  private var lineCount = 0
  private var process: (id: pid_t, input: Int32)?

  private init(_ command: String) {
    self.command = command
    height = Terminal.height
    width = Terminal.width ?? 80
  }

  /// Returns the pager that the environment variable PAGER names, or `less` if PAGER is not set.
  /// Returns nil if the output is not a terminal or is a dumb terminal, if PAGER is empty or `cat`,
  /// or if `less` is needed and does not exist.
  package static func find() -> Pager? {
    let environment = ProcessInfo.processInfo.environment
    guard Terminal.isOutput, environment["TERM"] != "dumb",
      let command = command(environment), !command.isEmpty, command != "cat"
    else { return nil }
    return Pager(command)
  }

  private static func command(_ environment: [String: String]) -> String? {
    if let command = environment["PAGER"] { return command }
    let folders = (environment["PATH"] ?? "").split(separator: ":")
    return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/less") }
      ? "less" : nil
  }

  /// Writes a text.
  package func write(_ text: String) {
    if process == nil {
      waiting += text
      lineCount += Self.lineCount(of: text, width: width)
      // Output without a pager must be shorter than the screen, because the prompt of the shell
      // takes a line, too.
      guard lineCount >= height else { return }
      process = start()
      guard process != nil else { return }
      let all = waiting
      waiting = ""
      return write(all)
    }
    guard let process else { return }
    let isLeft = StandardOutput.write(text, to: process.input, isPager: true)
    guard isLeft else { return }
    // The user has left the pager, and wants no more of the output.
    wait()
    exit(0)
  }

  /// Returns the number of lines that a text takes on the screen.
  static func lineCount(of text: String, width: Int) -> Int {
    text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().reduce(0) {
      count, line in
      let plain = line.utf8.contains(0x1B) ? line.replacing(/\u{1B}\[[0-9;]*m/, with: "") : line
      return count + max(1, (plain.terminalWidth + width - 1) / max(1, width))
    }
  }

  deinit {
    if process == nil { StandardOutput.write(waiting) } else { wait() }
  }

  /// Waits until the user has left the pager.
  private func wait() {
    guard let process else { return }
    close(process.input)
    var status: Int32 = 0
    while waitpid(process.id, &status, 0) < 0, errno == EINTR {}
    self.process = nil
  }

  // MARK: Starting

  /// Starts the pager in the process group of this process. In another process group, the terminal
  /// would stop the pager as soon as it reads a key.
  private func start() -> (id: pid_t, input: Int32)? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
    posix_spawn_file_actions_addclose(&actions, ends[0])
    // With these options, `less` keeps colours and does not clear the screen.
    let environment = ["LESS": "FRX", "LESSCHARSET": "utf-8"]
      .merging(ProcessInfo.processInfo.environment) { $1 }
    let arguments = Self.copies(["/bin/sh", "-c", command])
    let variables = Self.copies(environment.map { "\($0.key)=\($0.value)" })
    defer { for text in arguments + variables { free(text) } }
    var id: pid_t = 0
    let code = posix_spawn(&id, "/bin/sh", &actions, nil, arguments, variables)
    close(ends[0])
    guard code == 0 else {
      close(ends[1])
      return nil
    }
    // SIGPIPE must not end this process. If the signal is ignored, a write to a pager that has
    // ended fails with EPIPE.
    signal(SIGPIPE, SIG_IGN)
    return (id, ends[1])
  }

  /// Returns copies of texts as C strings, followed by nil.
  private static func copies(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
    texts.map { text in strdup(text) } + [nil]
  }
}
