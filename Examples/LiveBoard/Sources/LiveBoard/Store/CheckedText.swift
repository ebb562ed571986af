/// The checks of the texts that people and programs send.
enum CheckedText {
  /// Returns a text of one line without the white space around it.
  static func line(_ text: String, _ field: String, atMost limit: Int) throws -> String {
    let text = text.trimmed
    guard !text.isEmpty else {
      throw BoardError.invalid(field: field, reason: "the \(field) is empty")
    }
    try check(text, field, atMost: limit) { $0 == "\t" }
    return text
  }

  /// Returns a text of any number of lines, with line feeds between them.
  static func lines(_ text: String, _ field: String, atMost limit: Int) throws -> String {
    let text = String(text.unicodeScalars.filter { $0 != "\r" })
    try check(text, field, atMost: limit) { $0 == "\t" || $0 == "\n" }
    return text
  }

  private static func check(
    _ text: String, _ field: String, atMost limit: Int,
    allows: (Unicode.Scalar) -> Bool
  ) throws {
    // The tables check the length with SQLite's `length`, which also counts Unicode scalars.
    let count = text.unicodeScalars.count
    guard count <= limit else {
      throw BoardError.invalid(
        field: field, reason: "the \(field) has \(count) characters; at most \(limit) are allowed")
    }
    if let control = text.unicodeScalars.first(where: { $0.isControl && !allows($0) }) {
      throw BoardError.invalid(
        field: field,
        reason: "the \(field) contains the control character U+\(control.hexadecimal)")
    }
  }
}

extension String {
  /// The text without the white space at its beginning and end.
  fileprivate var trimmed: String {
    let start = unicodeScalars.firstIndex { !$0.properties.isWhitespace } ?? endIndex
    let end =
      unicodeScalars.lastIndex { !$0.properties.isWhitespace }
      .map { unicodeScalars.index(after: $0) } ?? start
    return String(unicodeScalars[start..<end])
  }
}

extension Unicode.Scalar {
  fileprivate var isControl: Bool { properties.generalCategory == .control }

  fileprivate var hexadecimal: String {
    let digits = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
