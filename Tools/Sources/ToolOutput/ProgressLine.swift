import Foundation

/// A line on the terminal that says how far a command has come; nothing if the standard error is no
/// terminal, or if the line would be drawn among the rows of the output.
package final class ProgressLine {
  private let verb: String
  private let unit: String
  private var shown: Date?
  private let isVisible: Bool

  /// - Parameters:
  ///   - verb: the work, such as `importing`.
  ///   - unit: what is counted, such as `rows`.
  ///   - isVisible: whether the line may be shown on a terminal.
  package init(_ verb: String, _ unit: String, isVisible: Bool = true) {
    self.verb = verb
    self.unit = unit
    self.isVisible = isVisible && ErrorOutput.isTerminal
  }

  deinit { end() }

  /// Shows the number of units that are done, a few times a second.
  package func update(_ count: Int, of total: Int?) {
    guard isVisible else { return }
    let now = Date()
    if let shown, now.timeIntervalSince(shown) < 0.2 { return }
    shown = now
    ErrorOutput.raw("\r\u{1B}[K" + text(count, of: total))
  }

  private func text(_ count: Int, of total: Int?) -> String {
    guard let total, total > 0 else { return "\(verb): \(count) \(unit)" }
    return "\(verb): \(count) of \(total) \(unit) (\(min(count, total) * 100 / total) %)"
  }

  /// Removes the line.
  package func end() {
    guard shown != nil else { return }
    shown = nil
    ErrorOutput.raw("\r\u{1B}[K")
  }
}
