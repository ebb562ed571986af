import Foundation

/// The newest changes of the board, from the change log.
struct Activity: Sendable {
  /// An entry of the log, as a sentence.
  struct Line: Sendable {
    var sequence: Int64
    var author: String?
    var date: Date
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
    \(line.text) · <time datetime="\(Self.moment(line.date, .gmt))Z">\
    \(Self.moment(line.date, .current).replacing("T", with: " ").dropLast(3))</time></p></li>
    """
  }

  /// A date and time such as 2026-04-01T13:05:00. The script shows how long ago it was.
  private static func moment(_ date: Date, _ zone: TimeZone) -> String {
    date.formatted(
      Date.ISO8601FormatStyle(timeZone: zone).year().month().day().time(
        includingFractionalSeconds: false))
  }
}
