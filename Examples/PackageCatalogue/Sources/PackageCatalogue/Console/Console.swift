import Foundation

/// Where the demo speaks: results go to standard output, progress and problems to standard error.
struct Console {
  /// Whether somebody watches standard error: only then is progress shown.
  let isTerminal = isatty(STDERR_FILENO) == 1

  /// A result.
  func show(_ text: String = "") {
    write(text + "\n", to: .standardOutput)
  }

  /// A heading, with a line under it.
  func show(heading: String) {
    show("\n\(heading)\n\(String(repeating: "─", count: heading.count))")
  }

  /// A piece of code, set off from what surrounds it.
  func show(code: String) {
    let lines = code.split(separator: "\n", omittingEmptySubsequences: false)
    show("\n" + lines.map { $0.isEmpty ? "" : "    \($0)" }.joined(separator: "\n") + "\n")
  }

  /// Something that is no result, in a line of its own.
  func note(_ text: String) {
    write("\(lineStart)\(text)\n", to: .standardError)
  }

  /// How far something is, over what was said of it before.
  func showProgress(_ text: String) {
    if isTerminal { write("\(lineStart)\(text)", to: .standardError) }
  }

  /// Back to the start of the line, and whatever stands there is gone.
  private var lineStart: String { isTerminal ? "\r\u{1B}[K" : "" }

  private func write(_ text: String, to file: FileHandle) {
    // There is nobody left to tell where this fails.
    try? file.write(contentsOf: Data(text.utf8))
  }
}
