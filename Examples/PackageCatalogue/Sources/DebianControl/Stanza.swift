/// A stanza of a control file: fields with their values, in the file's order.
///
/// The case of field names is ignored. When the stanza was read, its bytes were found to be valid
/// UTF-8. A value is converted to a `String` only when it is read.
public struct Stanza: Sendable {
  struct Field: Sendable {
    /// The range of the field's name in the bytes of the stanza. The name was converted to small
    /// letters.
    let name: Range<Int>
    /// The range of the field's value in the bytes of the stanza. It includes the continuation
    /// lines.
    var value: Range<Int>
    let line: Int
  }

  /// The number of its first line in the input, counted from 1.
  public let line: Int

  let bytes: [UInt8]
  let fields: [Field]

  /// The names of its fields, in small letters.
  public var fieldNames: [String] { fields.map { bytes.text($0.name) } }

  /// Returns the value of a field, or nil if the stanza does not have it.
  ///
  /// If the value has continuation lines, newlines separate them from each other and from the first
  /// line. The white space character at the start of a continuation line is removed, and so is
  /// white space at the end of each line.
  public subscript(name: String) -> String? {
    field(named: name).map { text(of: $0) }
  }

  /// Returns the number of the line on which a field begins, or nil if the stanza does not have it.
  public func line(of name: String) -> Int? {
    field(named: name)?.line
  }

  func field(named name: String) -> Field? {
    let name = name.utf8
    let count = name.count
    return fields.first { field in
      field.name.count == count
        && zip(field.name, name).allSatisfy { bytes[$0] == $1.lowercased }
    }
  }

  func text(of field: Field) -> String {
    var start = field.value.lowerBound
    let end = field.value.upperBound
    var lineEnd = bytes.newline(from: start, to: end)
    if lineEnd == end { return bytes.text(bytes.trimmed(start..<end)) }
    var lines = [bytes.text(bytes.trimmed(start..<lineEnd))]
    while lineEnd < end {
      // The byte after the newline is the white space that marks a continuation line. It is not a
      // part of the text.
      start = lineEnd + 2
      lineEnd = bytes.newline(from: start, to: end)
      var textEnd = lineEnd
      while textEnd > start, bytes[textEnd - 1].isWhiteSpace { textEnd -= 1 }
      lines.append(bytes.text(start..<textEnd))
    }
    return lines.joined(separator: "\n")
  }
}
