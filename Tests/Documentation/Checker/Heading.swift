/// A heading of a page, and the anchors by which it is linked.
struct Heading {
  let text: String

  /// The anchor on GitHub: lower case, without punctuation.
  var slug: String {
    String(
      plain.lowercased().compactMap { character in
        if character == " " { return "-" }
        return character.isLetter || character.isNumber || "-_".contains(character)
          ? character : nil
      })
  }

  /// The anchor in the site of DocC, which keeps case and most punctuation.
  var fragment: String {
    let words = plain.filter { !"'\"“”‘’".contains($0) }.split(separator: " ")
    return words.joined(separator: "-")
  }

  /// The text without marks of code.
  private var plain: String { text.filter { $0 != "`" } }

  /// Returns the headings of a page, outside its blocks of code.
  static func headings(in text: String) -> [Heading] {
    var isCode = false
    return text.split(separator: "\n", omittingEmptySubsequences: false).compactMap { line in
      if line.hasPrefix("```") { isCode.toggle() }
      guard !isCode, line.hasPrefix("#") else { return nil }
      return Heading(text: String(line.drop { $0 == "#" || $0 == " " }))
    }
  }
}
