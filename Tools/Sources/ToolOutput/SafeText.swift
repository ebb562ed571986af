extension String {
  /// The text with visible escapes in place of all characters that would move the cursor, colour
  /// the terminal, or change the direction of writing.
  ///
  /// - Parameter keepingLineBreaks: leaves line breaks and tabs, for a text of several lines.
  public func escapedForTerminal(keepingLineBreaks: Bool = false) -> String {
    guard unicodeScalars.contains(where: \.isUnsafe) else { return self }
    var text = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\n", "\t":
        if keepingLineBreaks {
          text.unicodeScalars.append(scalar)
        } else {
          text += scalar == "\n" ? "\\n" : "\\t"
        }
      case "\r": text += "\\r"
      case _ where scalar.isUnsafe:
        text += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// The beginning of a text, and how long the whole is; the text itself if it is not longer.
  func excerpt(_ length: Int) -> String {
    // Counting the characters of a text of 10 MB would cost more than reading it.
    guard utf8.count > length,
      let end = unicodeScalars.index(startIndex, offsetBy: length, limitedBy: endIndex),
      end < endIndex
    else { return self }
    return String(unicodeScalars[..<end]) + "… (\(utf8.count) bytes)"
  }
}

extension Unicode.Scalar {
  /// Whether a terminal would act on the character instead of showing it.
  var isUnsafe: Bool {
    if isASCII { return value < 0x20 || value == 0x7F }
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: return true
    default: return properties.isBidiControl
    }
  }
}
