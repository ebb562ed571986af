import Foundation
@_spi(Tools) import SQLCore

/// A line on the terminal that says how far a command has come. Nothing is shown if the standard
/// error is no terminal, or if the line would be drawn among the rows of the output.
///
///     importing: 45 %, 17.3 of 38.6 MB, 450,000 rows, 0:03 left
package final class ProgressLine {
  private var verb: String
  /// Whether the line is shown. If it is not, the caller need not count rows for it.
  package let isVisible: Bool
  private var start = Date()
  private var shown: Date?

  /// - Parameters:
  ///   - verb: the work, such as `importing`.
  ///   - isVisible: whether the line may be shown on a terminal.
  package init(_ verb: String, isVisible: Bool = true) {
    self.verb = verb
    self.isVisible = isVisible && ErrorOutput.isTerminal
  }

  deinit { end() }

  /// Begins the next part of the work. From now on, the line shows the remaining time of this part.
  package func begin(_ verb: String) {
    self.verb = verb.escapedForTerminal()
    start = Date()
    update()
    // The line now shows only the verb, so the first figures are shown at once, without the usual
    // pause.
    shown = shown.map { _ in .distantPast }
  }

  /// Shows how far the command has come, a few times a second.
  ///
  /// - Parameters:
  ///   - bytes: the number of processed bytes, and the total number if it is known.
  ///   - rows: the number of processed rows, and the total number if it is known.
  package func update(bytes: (Int, of: Int?)? = nil, rows: (Int, of: Int?)? = nil) {
    guard isVisible else { return }
    let now = Date()
    if let shown, now.timeIntervalSince(shown) < 0.2 { return }
    shown = now
    let parts = Self.parts(bytes: bytes, rows: rows, seconds: now.timeIntervalSince(start))
    let line = verb + (parts.isEmpty ? " …" : ": " + parts.joined(separator: ", "))
    // A line as wide as the terminal could wrap, and the wrapped part would not be removed.
    ErrorOutput.raw("\r\u{1B}[K" + line.cut(toTerminalWidth: (Terminal.width ?? 80) - 1))
  }

  /// Returns the percentage, the size, the rows and the time that is left, as far as they are known.
  static func parts(
    bytes: (Int, of: Int?)?, rows: (Int, of: Int?)?, seconds: Double
  ) -> [String] {
    var parts: [String] = []
    let fractions = [bytes, rows].compactMap { part -> Double? in
      guard let part, let total = part.of, total > 0 else { return nil }
      return min(1, Double(part.0) / Double(total))
    }
    if let fraction = fractions.first { parts.append("\(Int(fraction * 100)) %") }
    if let (done, total) = bytes { parts.append(size(done, of: total)) }
    if let (done, total) = rows {
      parts.append(grouped(done) + (total.map { " of \(grouped($0))" } ?? "") + " rows")
    }
    // In the first second, the speed is too uncertain to estimate the remaining time.
    if let fraction = fractions.first, fraction > 0, seconds > 1 {
      let left = Int((seconds / fraction - seconds).rounded())
      let digits = left % 60 < 10 ? "0\(left % 60)" : "\(left % 60)"
      parts.append("\(left / 60):\(digits) left")
    }
    return parts
  }

  private static func size(_ done: Int, of total: Int?) -> String {
    let units = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")]
    let (unit, name) = units.first { (total ?? done) >= $0.0 } ?? (1, "bytes")
    func text(_ bytes: Int) -> String {
      guard unit > 1 else { return String(bytes) }
      let tenths = bytes / (unit / 10)
      return "\(tenths / 10).\(tenths % 10)"
    }
    return text(done) + (total.map { " of \(text($0))" } ?? "") + " \(name)"
  }

  /// Returns a number with commas between its groups of three digits.
  private static func grouped(_ number: Int) -> String {
    var text = ""
    for (index, digit) in String(number).reversed().enumerated() {
      if index > 0, index % 3 == 0 { text += "," }
      text.append(digit)
    }
    return String(text.reversed())
  }

  /// Removes the line.
  package func end() {
    guard shown != nil else { return }
    shown = nil
    ErrorOutput.raw("\r\u{1B}[K")
  }
}
