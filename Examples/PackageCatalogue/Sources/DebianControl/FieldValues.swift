/// The values of the fields of a stanza. Each method checks that the value is valid for its field.
///
/// A field with an empty value counts as missing.
struct FieldValues {
  let stanza: Stanza

  func text(_ name: String) -> String? {
    guard let field = stanza.field(named: name) else { return nil }
    let text = stanza.text(of: field)
    return text.isEmpty ? nil : text
  }

  /// Returns the first line of the value, without its continuation lines.
  func firstLine(_ name: String) -> String? {
    guard let field = stanza.field(named: name) else { return nil }
    let end = stanza.bytes.newline(from: field.value.lowerBound, to: field.value.upperBound)
    let line = stanza.bytes.trimmed(field.value.lowerBound..<end)
    return line.isEmpty ? nil : stanza.bytes.text(line)
  }

  /// Returns the continuation lines of the value. In the file, a line that has only a full stop
  /// stands for an empty line.
  func otherLines(_ name: String) -> String {
    guard let text = text(name), let end = text.firstIndex(of: "\n") else { return "" }
    return text[text.index(after: end)...].split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0 == "." ? "" : $0 }.joined(separator: "\n")
  }

  /// Returns the value of a field. Throws if the field is missing, or if its value is not a single
  /// word.
  func required(_ name: String) throws(ControlError) -> String {
    guard let text = text(name) else {
      throw .malformed(line: stanza.line, .missingField(name: name))
    }
    guard !text.utf8.contains(where: \.isWhiteSpace) else {
      throw invalid(name, text, expected: "one word")
    }
    return text
  }

  func name() throws(ControlError) -> String {
    let name = try required("Package")
    guard let first = name.utf8.first, first.isLetter || first.isDigit,
      name.utf8.allSatisfy(\.isNameByte)
    else {
      throw invalid("Package", name, expected: "a name of letters, digits and \"+-._\"")
    }
    return name
  }

  /// Returns the value of a field as a number of KiB; nil if the field is missing. Throws if the
  /// same size in bytes would be too large for an `Int`.
  func size(_ name: String) throws(ControlError) -> Int? {
    guard let text = text(name) else { return nil }
    let limit = Int.max / 1024
    guard text.utf8.allSatisfy(\.isDigit), let size = Int(text), size <= limit else {
      throw invalid(name, text, expected: "a whole number from 0 to \(limit)")
    }
    return size
  }

  /// Returns whether the field is `yes`; false if it is `no` or missing.
  func flag(_ name: String) throws(ControlError) -> Bool {
    guard let text = text(name) else { return false }
    switch text.lowercased() {
    case "yes": return true
    case "no": return false
    default: throw invalid(name, text, expected: "\"yes\" or \"no\"")
    }
  }

  /// Returns the third word of `Status`, such as `installed`; nil if there is no `Status`.
  func state() throws(ControlError) -> String? {
    guard let text = text("Status") else { return nil }
    let words = text.split(separator: " ")
    guard words.count == 3 else {
      throw invalid("Status", text, expected: "three words, such as \"install ok installed\"")
    }
    return String(words[2])
  }

  private func invalid(_ name: String, _ text: String, expected: String) -> ControlError {
    .malformed(
      line: stanza.line(of: name) ?? stanza.line,
      .invalidValue(field: name, text: text, expected: expected)
    )
  }
}
