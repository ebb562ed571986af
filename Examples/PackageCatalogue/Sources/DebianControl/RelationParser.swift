/// A parser of fields such as `Depends`. Commas separate the groups, and bars separate the
/// alternatives of a group.
///
/// Each alternative begins with a name. It may be followed by `:` and an architecture, and by a
/// version constraint in parentheses. A comma after the last group is allowed.
struct RelationParser {
  private let kind: Relation.Kind
  private let bytes: [UInt8]
  private let value: Range<Int>
  private let firstLine: Int
  private var position: Int

  init(_ kind: Relation.Kind, field: Stanza.Field, of stanza: Stanza) {
    self.kind = kind
    bytes = stanza.bytes
    value = field.value
    firstLine = field.line
    position = field.value.lowerBound
  }

  /// Appends the field's relations.
  mutating func parse(into relations: inout [Relation]) throws(ControlError) {
    var group = 0
    var alternative = 0
    skipWhiteSpace()
    while position < value.upperBound {
      relations.append(try relation(group: group, alternative: alternative))
      skipWhiteSpace()
      if skip(ASCII.bar) {
        alternative += 1
        skipWhiteSpace()
        guard position < value.upperBound else { throw unexpected("a package name after \"|\"") }
      } else if skip(ASCII.comma) || position == value.upperBound {
        group += 1
        alternative = 0
        skipWhiteSpace()
      } else {
        throw unexpected("\",\" or \"|\" between package names")
      }
    }
  }

  private mutating func relation(
    group: Int,
    alternative: Int
  ) throws(ControlError) -> Relation {
    let name = word { $0.isNameByte }
    guard !name.isEmpty, bytes[name.lowerBound].isLetter || bytes[name.lowerBound].isDigit else {
      position = name.lowerBound
      throw unexpected("a package name of letters, digits and \"+-._\"")
    }
    var architecture: Range<Int>?
    if skip(ASCII.colon) {
      let qualifier = word { $0.isNameByte }
      guard !qualifier.isEmpty else { throw unexpected("an architecture after \":\"") }
      architecture = qualifier
    }
    skipWhiteSpace()
    return Relation(
      kind: kind,
      group: group,
      alternative: alternative,
      name: bytes.text(name),
      architectureQualifier: architecture.map { bytes.text($0) },
      constraint: skip(ASCII.openingParenthesis) ? try constraint() : nil
    )
  }

  /// Reads `>= 1.2)`.
  private mutating func constraint() throws(ControlError) -> Relation.Constraint {
    skipWhiteSpace()
    let comparison = try comparison()
    skipWhiteSpace()
    let version = word {
      !$0.isWhiteSpace && $0 != ASCII.openingParenthesis && $0 != ASCII.closingParenthesis
    }
    guard !version.isEmpty else { throw unexpected("a version after \(comparison.rawValue)") }
    skipWhiteSpace()
    guard skip(ASCII.closingParenthesis) else { throw unexpected("\")\" after the version") }
    return Relation.Constraint(comparison: comparison, version: bytes.text(version))
  }

  private mutating func comparison() throws(ControlError) -> Relation.Comparison {
    let start = position
    switch bytes.text(word { (UInt8(ascii: "<")...UInt8(ascii: ">")).contains($0) }) {
    // Old packages write `<` and `>`. Like dpkg, this reads them as `<=` and `>=`.
    case "<", "<=": return .earlierOrEqual
    case ">", ">=": return .laterOrEqual
    case "<<": return .earlier
    case ">>": return .later
    case "=": return .equal
    default:
      position = start
      throw unexpected("one of <<, <=, =, >=, >> and a version in the parentheses")
    }
  }

  /// Moves the position after the next bytes for which the closure returns true, and returns the
  /// range of these bytes.
  private mutating func word(of isPart: (UInt8) -> Bool) -> Range<Int> {
    let start = position
    while position < value.upperBound, isPart(bytes[position]) { position += 1 }
    return start..<position
  }

  private mutating func skipWhiteSpace() {
    while position < value.upperBound, bytes[position].isWhiteSpace { position += 1 }
  }

  private mutating func skip(_ byte: UInt8) -> Bool {
    guard position < value.upperBound, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  /// Returns the error for a text that is not valid. The error contains the text from the position
  /// to the next comma, and a description of what was expected.
  private func unexpected(_ expected: String) -> ControlError {
    var end = position
    while end < value.upperBound, bytes[end] != ASCII.comma { end += 1 }
    if end == position { end = min(position + 1, value.upperBound) }
    let text = bytes.text(bytes.trimmed(position..<end))
    let line = firstLine + bytes[value.lowerBound..<position].count { $0 == ASCII.newline }
    return .malformed(
      line: line,
      .invalidValue(field: kind.fieldName, text: text, expected: expected)
    )
  }
}
