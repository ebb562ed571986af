import Foundation

/// The output of the demo: results go to standard output, progress and problems to standard error.
struct Console {
  /// Whether standard error is a terminal. Progress is shown only in this case.
  let isTerminal = isatty(STDERR_FILENO) == 1

  /// Shows a result.
  func show(_ text: String = "") {
    write(text + "\n", to: .standardOutput)
  }

  /// Shows a heading, with a line under it.
  func show(heading: String) {
    show("\n\(heading)\n\(String(repeating: "─", count: heading.count))")
  }

  /// Shows a piece of code, set off from the text around it.
  func show(code: String) {
    let lines = code.split(separator: "\n", omittingEmptySubsequences: false)
    show("\n" + lines.map { $0.isEmpty ? "" : "    \($0)" }.joined(separator: "\n") + "\n")
  }

  /// Shows a message that is not a result, on a line of its own.
  func note(_ text: String) {
    write("\(lineStart)\(text)\n", to: .standardError)
  }

  /// Shows the progress of something, in place of the progress shown before.
  func showProgress(_ text: String) {
    if isTerminal { write("\(lineStart)\(text)", to: .standardError) }
  }

  /// The control codes that move the cursor to the start of the line and clear the line; empty if
  /// standard error is not a terminal.
  private var lineStart: String { isTerminal ? "\r\u{1B}[K" : "" }

  private func write(_ text: String, to file: FileHandle) {
    // If writing fails, the error cannot be reported, so it is ignored.
    try? file.write(contentsOf: Data(text.utf8))
  }
}
