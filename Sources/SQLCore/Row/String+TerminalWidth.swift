// The width of a text in terminal columns: two for an East Asian character or an emoji, none for a
// combining accent, one for most others.

extension StringProtocol {
  /// The width in terminal columns.
  var terminalWidth: Int {
    // Control characters were escaped, so each ASCII byte takes one column.
    if utf8.allSatisfy({ $0 < 0x80 }) { return utf8.count }
    return reduce(0) { $0 + $1.terminalWidth }
  }

  /// Returns the text, or its beginning and `…` if it is too wide.
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
  /// The width in terminal columns: the sum of the widths of its scalars. An emoji counts once,
  /// without the scalars that are joined to its first.
  fileprivate var terminalWidth: Int {
    guard let first = unicodeScalars.first?.properties else { return 0 }
    if first.isEmojiPresentation { return 2 }
    var width = 0
    for scalar in unicodeScalars {
      // The variation selector U+FE0F asks for the emoji form of a character that is text by
      // default.
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

  /// Whether it is drawn over another character, or not at all.
  private var isWithoutWidth: Bool {
    // Hangul vowels and final consonants join the consonant before them.
    if (0x1160...0x11FF).contains(value) || (0xD7B0...0xD7FF).contains(value) { return true }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return true
    // A soft hyphen is visible in terminals.
    case .format: return value != 0xAD
    default: return false
    }
  }

  /// Whether its East Asian width is W or F. Emoji are left out; they are recognised by their own
  /// property.
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
