import SQLCore

/// A comment in SQL text.
struct SQLComment: Hashable {
  /// The comment with its delimiters, without the newline.
  let text: String
  /// Whether a line break separates the comment from the token before it.
  let isOnLineBelow: Bool

  /// Whether a newline ends the comment, as after `--`.
  var endsWithLine: Bool { text.hasPrefix("--") }
}

extension SQLTokens {
  /// Returns the comments between a token and the one before it. The index after the last token
  /// stands for the end of the text.
  func comments(before index: Int) -> [SQLComment] {
    let start = index == 0 ? 0 : tokens[index - 1].range.upperBound
    let end = index < tokens.count ? tokens[index].range.lowerBound : bytes.count
    var comments: [SQLComment] = []
    var position = start
    var isOnLineBelow = false
    while position < end {
      let first = position
      guard skipComment(&position) else {
        if bytes[position] == 0x0A { isOnLineBelow = true }
        position += 1
        continue
      }
      let text = String(decoding: bytes[first..<position], as: UTF8.self)
      comments.append(SQLComment(text: text, isOnLineBelow: isOnLineBelow))
    }
    return comments
  }
}

extension [SQLComment] {
  /// The comments as text before something on the same line. A `--` comment is followed by a new
  /// line.
  var inline: String {
    map { $0.endsWithLine ? "\($0.text)\n    " : "\($0.text) " }.joined()
  }

  /// The comments as text on lines of their own, before something.
  var above: String { map { "\($0.text)\n  " }.joined() }

  /// The comments as text after something on the same line. If the last is a `--` comment, the
  /// caller must add a newline.
  var trailing: String {
    var text = ""
    var isAfterLine = false
    for comment in self {
      text += (isAfterLine ? "\n  " : " ") + comment.text
      isAfterLine = comment.endsWithLine
    }
    return text
  }
}
