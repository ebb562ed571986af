extension Stanza {
  /// Finds the fields in lines none of which is blank.
  ///
  /// It takes time in proportion to the bytes, and throws ``ControlError/malformed(line:_:)``.
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

  /// Throws where a line holds NUL or is no UTF-8.
  private static func checkText(_ bytes: [UInt8], line firstLine: Int) throws(ControlError) {
    // Plain ASCII, which nearly all stanzas are, needs one look at each byte.
    var union: UInt8 = 0
    var hasNUL = false
    for byte in bytes {
      union |= byte
      hasNUL = hasNUL || byte == 0
    }
    if !hasNUL, union < 0x80 || String(validating: bytes, as: UTF8.self) != nil { return }
    // A character never spans lines, so the line that is wrong is wrong by itself.
    var line = firstLine
    for content in bytes.split(separator: ASCII.newline, omittingEmptySubsequences: false) {
      if content.contains(0) { throw .malformed(line: line, .nulByte) }
      if String(validating: content, as: UTF8.self) == nil {
        throw .malformed(line: line, .invalidUTF8)
      }
      line += 1
    }
  }

  /// Throws where two fields have one name.
  private func checkNames() throws(ControlError) {
    // Comparing each with each is quicker for few fields; many go through a table.
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
  /// Where the field name is that a line begins with; nil where it does not begin with one.
  ///
  /// A name is printable ASCII without a space, and begins neither with `#` nor with `-`.
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

  /// The line without the carriage return that may end it.
  fileprivate func textOfLine(_ line: Range<Int>) -> String {
    let hasReturn = line.last.map { self[$0] == ASCII.carriageReturn } ?? false
    return text(hasReturn ? line.dropLast() : line)
  }
}
