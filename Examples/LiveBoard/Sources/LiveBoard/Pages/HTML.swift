import Apus

/// A piece of HTML. A text that is interpolated is escaped. Another piece of HTML that is
/// interpolated is inserted as it is.
///
/// ```swift
/// let heading: HTML = "<h1>\(card.title)</h1>"
/// ```
struct HTML: Sendable, Equatable, ExpressibleByStringInterpolation {
  private(set) var text: String

  init(stringLiteral text: String) {
    self.text = text
  }

  init(stringInterpolation interpolation: StringInterpolation) {
    text = interpolation.text
  }

  /// Joins pieces one after another.
  init(_ pieces: some Sequence<HTML>) {
    text = ""
    for piece in pieces { text += piece.text }
  }

  /// Creates a piece from a text that is HTML already.
  init(trusted text: String) {
    self.text = text
  }

  static let empty: HTML = ""

  /// Returns a text with HTML's special characters escaped, for content and quoted attributes.
  static func escape(_ text: some StringProtocol) -> String {
    var escaped = ""
    escaped.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      // HTML cannot contain U+0000. A browser would remove the character, so U+FFFD takes its
      // place.
      case "\0": escaped += "\u{FFFD}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + interpolationCount * 16)
    }

    mutating func appendLiteral(_ literal: String) { text += literal }
    mutating func appendInterpolation(_ piece: HTML) { text += piece.text }
    mutating func appendInterpolation(_ text: some StringProtocol) { self.text += escape(text) }
    mutating func appendInterpolation(_ number: some BinaryInteger) { text += String(number) }
    mutating func appendInterpolation(_ id: Unique64) { text += id.text }
    mutating func appendInterpolation(_ pieces: [HTML]) {
      for piece in pieces { text += piece.text }
    }

    /// Appends a piece only if a condition holds.
    mutating func appendInterpolation(_ piece: HTML, if condition: Bool) {
      if condition { text += piece.text }
    }
  }
}
