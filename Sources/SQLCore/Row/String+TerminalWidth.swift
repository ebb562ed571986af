// How many columns of a terminal a text takes: two a character of East Asia and an emoji, none an
// accent that stands on another, one for most.

extension StringProtocol {
  /// In columns of a terminal.
  var terminalWidth: Int {
    // Control characters were escaped: a byte of ASCII is a column.
    if utf8.allSatisfy({ $0 < 0x80 }) { return utf8.count }
    return reduce(0) { $0 + $1.terminalWidth }
  }

  /// The text, or its beginning and `…` where it is wider.
  func cut(toTerminalWidth width: Int) -> String {
    guard terminalWidth > width else { return String(self) }
    var left = width - 1
    let start = prefix { character in
      left -= character.terminalWidth
      return left >= 0
    }
    return start + "…"
  }
}

extension Character {
  /// In columns of a terminal: the sum of its scalars, but of an emoji those that join the first.
  fileprivate var terminalWidth: Int {
    guard let first = unicodeScalars.first?.properties else { return 0 }
    if first.isEmojiPresentation { return 2 }
    var width = 0
    for scalar in unicodeScalars {
      // A variation selector asks for the picture of what is text by itself.
      if scalar.value == 0xFE0F, first.isEmoji { return 2 }
      width += scalar.terminalWidth
    }
    return width
  }
}

extension Unicode.Scalar {
  fileprivate var terminalWidth: Int {
    if isASCII { return 1 }
    if isWide || properties.isEmojiPresentation { return 2 }
    return isWithoutWidth ? 0 : 1
  }

  /// Whether it is drawn over another, or not at all.
  private var isWithoutWidth: Bool {
    // Vowels and final consonants of Hangul join the consonant before them.
    if (0x1160...0x11FF).contains(value) || (0xD7B0...0xD7FF).contains(value) { return true }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return true
    // A soft hyphen is seen in terminals.
    case .format: return value != 0xAD
    default: return false
    }
  }

  /// Whether its East Asian width is W or F; emoji apart, which say so themselves.
  ///
  /// - SeeAlso: <https://www.unicode.org/reports/tr11/>
  private var isWide: Bool {
    guard value >= 0x1100 else { return false }
    return Self.wide.contains { $0.contains(value) }
  }

  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x3247, 0x3250...0x4DBF,
    0x4E00...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19,
    0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x16FF1, 0x17000...0x18D08,
    0x1AFF0...0x1B2FB, 0x1F200...0x1F265, 0x20000...0x2FFFD, 0x30000...0x3FFFD,
  ]
}
