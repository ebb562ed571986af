/// An error while reading a control file, with its place.
public enum ControlError: Error, Hashable, Sendable {
  /// The text at `line` is not valid in a control file. Lines are counted from 1.
  case malformed(line: Int, Malformation)

  /// The file cannot be opened. The operating system has given the `reason`.
  case cannotOpen(path: String, reason: String)

  /// After `line` lines were read, reading failed. The operating system has given the `reason`.
  case cannotRead(source: String, line: Int, reason: String)
}

/// The problem with a line of a control file.
public enum Malformation: Hashable, Sendable {
  /// A line that has none of the three possible forms: `Field: value`, the continuation of a value,
  /// and a blank line.
  case noField(text: String)

  /// A line that begins with white space although its stanza has no field before it.
  case strayContinuation(text: String)

  /// A second field with the same name in a stanza. The first one is at `firstLine`.
  case duplicateField(name: String, firstLine: Int)

  /// A field that every package has, but this stanza does not.
  case missingField(name: String)

  /// A value that is not valid for its field; `expected` describes the valid ones.
  case invalidValue(field: String, text: String, expected: String)

  /// A line that is not UTF-8.
  case invalidUTF8

  /// A line with a NUL byte, which a text must not contain.
  case nulByte

  /// A stanza of more than `limit` bytes.
  case stanzaTooLong(limit: Int)
}

extension ControlError: CustomStringConvertible {
  /// The problem, its place, and what to do about it, in one line.
  public var description: String {
    switch self {
    case .malformed(let line, let malformation):
      "malformed stanza at line \(line): \(malformation)"
    case .cannotOpen(let path, let reason):
      "cannot open \(path): \(reason); name a Debian control file, or give one as standard input"
    case .cannotRead(let source, let line, let reason):
      "cannot read \(source) after line \(line): \(reason)"
    }
  }
}

extension Malformation: CustomStringConvertible {
  /// The problem and what to do about it, without the line.
  public var description: String {
    switch self {
    case .noField(let text):
      "\(quoted(text)) is not a \"Field: value\" line; begin it with a field name and a "
        + "colon, or with a space if it continues the previous line"
    case .strayContinuation(let text):
      "\(quoted(text)) continues a field, but there is no field before it; "
        + "remove the space at its beginning, or the blank line before it"
    case .duplicateField(let name, let firstLine):
      "the stanza already has the field \"\(name)\", at line \(firstLine); remove one of the two"
    case .missingField(let name):
      "the stanza has no field \"\(name)\"; add a line \"\(name): …\""
    case .invalidValue(let field, let text, let expected):
      "\(quoted(text)) is not a valid value of \"\(field)\"; write \(expected)"
    case .invalidUTF8:
      "the line is not UTF-8; convert the input to UTF-8, or decompress it first"
    case .nulByte:
      "the line contains a NUL byte; check that the input is text"
    case .stanzaTooLong(let limit):
      "the stanza is longer than \(limit) bytes; check that the input is a control file"
    }
  }
}

/// Returns the text in quotation marks, on one line, and shortened if it is long.
private func quoted(_ text: String) -> String {
  let limit = 60
  var result = "\""
  for (index, character) in text.unicodeScalars.enumerated() {
    if index == limit {
      result += "…"
      break
    }
    result +=
      character.properties.generalCategory == .control
      ? character.escaped(asASCII: false)
      : String(character)
  }
  return result + "\""
}
