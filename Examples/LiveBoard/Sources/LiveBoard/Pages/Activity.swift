import Apus

/// The newest changes of the board, from the change log.
struct Activity: Sendable {
  /// An entry of the log, as a sentence.
  struct Line: Sendable {
    var sequence: Int64
    var author: String?
    var text: HTML
  }

  var lines: [Line]

  var html: HTML {
    guard !lines.isEmpty else { return "<p class=\"empty\">Nothing has changed yet.</p>" }
    return "<ol>\(lines.map(item))</ol>"
  }

  private func item(_ line: Line) -> HTML {
    """
    <li data-sequence="\(line.sequence)"><p dir="auto"><strong>\(line.author ?? "Another program")</strong> \
    \(line.text)</p></li>
    """
  }
}
