extension Stanza {
  /// Creates a stanza from the bytes of its lines. There must be no blank line among them.
  ///
  /// The time is proportional to the number of bytes. Throws ``ControlError/malformed(line:_:)``.
  init(bytes: [UInt8], line firstLine: Int) throws(ControlError) {
    try Self.checkText(bytes, line: firstLine)
    var bytes = bytes
    var fields: [Field] = []
    fields.reserveCapacity(24)
    var line = firstLine
    var start = 0
    while start < bytes.count {
      let end = bytes.newline(from: start, to: bytes.count)
      let next = min(end + 1, bytes.count)
      if bytes[start] == ASCII.space || bytes[start] == ASCII.tab {
        guard let last = fields.indices.last else {
          throw .malformed(line: line, .strayContinuation(text: bytes.textOfLine(start..<end)))
        }
        fields[last].value = fields[last].value.lowerBound..<end
      } else {
        guard let name = bytes.fieldName(start..<end) else {
          throw .malformed(line: line, .noField(text: bytes.textOfLine(start..<end)))
        }
        for position in name { bytes[position] = bytes[position].lowercased }
        fields.append(Field(name: name, value: name.upperBound + 1..<end, line: line))
      }
      line += 1
      start = next
    }
    self.init(line: firstLine, bytes: bytes, fields: fields)
    try checkNames()
  }

  /// Throws if a line contains NUL or is not UTF-8.
  private static func checkText(_ bytes: [UInt8], line firstLine: Int) throws(ControlError) {
    // Nearly all stanzas contain only ASCII. One fast loop over the bytes finds this out.
    var union: UInt8 = 0
    var hasNUL = false
    for byte in bytes {
      union |= byte
      hasNUL = hasNUL || byte == 0
    }
    if !hasNUL, union < 0x80 || String(validating: bytes, as: UTF8.self) != nil { return }
    // A newline is never a part of another character, so each line can be checked separately.
    var line = firstLine
    for content in bytes.split(separator: ASCII.newline, omittingEmptySubsequences: false) {
      if content.contains(0) { throw .malformed(line: line, .nulByte) }
      if String(validating: content, as: UTF8.self) == nil {
        throw .malformed(line: line, .invalidUTF8)
      }
      line += 1
    }
  }

  /// Throws if two fields have the same name.
  private func checkNames() throws(ControlError) {
    // If there are few fields, comparing all pairs of fields is faster than a dictionary.
    guard fields.count > 64 else {
      for index in fields.indices.dropFirst() {
        let field = fields[index]
        for other in fields[..<index]
        where other.name.count == field.name.count && hasEqualNames(field, other) {
          throw duplicate(field, of: other.line)
        }
      }
      return
    }
    var lines: [String: Int] = [:]
    for field in fields {
      if let earlier = lines.updateValue(field.line, forKey: bytes.text(field.name)) {
        throw duplicate(field, of: earlier)
      }
    }
  }

  private func hasEqualNames(_ one: Field, _ other: Field) -> Bool {
    zip(one.name, other.name).allSatisfy { bytes[$0] == bytes[$1] }
  }

  private func duplicate(_ field: Field, of firstLine: Int) -> ControlError {
    .malformed(
      line: field.line,
      .duplicateField(name: bytes.text(field.name), firstLine: firstLine)
    )
  }
}

extension [UInt8] {
  /// Returns the range of the field name that a line begins with; nil if it does not begin with
  /// one.
  ///
  /// A name is printable ASCII without a space, and begins with neither `#` nor `-`.
  fileprivate func fieldName(_ line: Range<Int>) -> Range<Int>? {
    let first = self[line.lowerBound]
    guard first != UInt8(ascii: "#"), first != UInt8(ascii: "-") else { return nil }
    for position in line {
      let byte = self[position]
      if byte == ASCII.colon {
        return position > line.lowerBound ? line.lowerBound..<position : nil
      }
      guard byte > ASCII.space, byte < 0x7F else { return nil }
    }
    return nil
  }

  /// Returns the line without a carriage return at its end.
  fileprivate func textOfLine(_ line: Range<Int>) -> String {
    let hasReturn = line.last.map { self[$0] == ASCII.carriageReturn } ?? false
    return text(hasReturn ? line.dropLast() : line)
  }
}
