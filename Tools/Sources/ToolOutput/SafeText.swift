extension String {
  /// The text with escapes in place of some characters.
  ///
  /// - Parameters:
  ///   - short: the escapes of certain characters.
  ///   - needsEscape: whether a character without an entry in `short` is escaped by its number.
  ///   - number: a closure that returns the escape for a number in hexadecimal digits.
  package func escaped(
    _ short: [Unicode.Scalar: String], where needsEscape: (Unicode.Scalar) -> Bool,
    by number: (String) -> String = { "\\u{\($0.uppercased())}" }
  ) -> String {
    var text = ""
    for scalar in unicodeScalars {
      if let escape = short[scalar] {
        text += escape
      } else if needsEscape(scalar) {
        text += number(String(scalar.value, radix: 16))
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// The text with visible escapes in place of all characters that would move the cursor, colour
  /// the terminal, or change the direction of writing.
  ///
  /// - Parameter keepingLineBreaks: whether to keep line breaks and tabs, for a text of several
  ///   lines.
  package func escapedForTerminal(keepingLineBreaks: Bool = false) -> String {
    guard unicodeScalars.contains(where: \.isUnsafe) else { return self }
    let breaks: [Unicode.Scalar: String] =
      keepingLineBreaks ? ["\n": "\n", "\t": "\t"] : ["\n": "\\n", "\t": "\\t"]
    return escaped(breaks.merging(["\r": "\\r"]) { $1 }, where: \.isUnsafe)
  }

  /// Returns the text if it is not longer than `length`. Otherwise returns its beginning, and the
  /// size of the whole text.
  func excerpt(_ length: Int) -> String {
    // The characters are not all counted, because counting the characters of a text of 10 MB would
    // cost more than reading the text.
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
