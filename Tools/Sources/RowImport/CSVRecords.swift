import ToolOutput

/// The records of CSV, read one at a time.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc4180>
package struct CSVRecords {
  package struct Field: Equatable {
    package let text: String
    package let isQuoted: Bool
  }

  package struct Record {
    package let fields: [Field]
    /// The line on which it begins.
    package let line: Int

    /// Whether the line has no character.
    package var isBlank: Bool { fields == [Field(text: "", isQuoted: false)] }
  }

  private let source: ByteSource
  private let separator: UInt8

  private static let quote = UInt8(ascii: "\"")
  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")

  package init(_ source: ByteSource, separator: UInt8 = UInt8(ascii: ",")) throws {
    self.source = source
    self.separator = separator
    try source.skipByteOrderMark()
  }

  /// Returns the next record; nil at the end. A line without a character is a record with one empty
  /// field; a line break at the very end begins no record.
  package func next() throws -> Record? {
    let line = source.line
    guard try source.peek() != nil else { return nil }
    var fields: [Field] = []
    while true {
      fields.append(try field(line))
      let end = try source.next()
      if end == separator { continue }
      if end == Self.carriageReturn, try source.peek() == Self.lineFeed { _ = try source.next() }
      break
    }
    return Record(fields: fields, line: line)
  }

  /// Reads a field up to the byte that ends it, which is left.
  private func field(_ line: Int) throws -> Field {
    var bytes: [UInt8] = []
    guard try source.peek() == Self.quote else {
      while let byte = try source.peek(), !isEnd(byte) {
        bytes.append(byte)
        _ = try source.next()
      }
      return Field(text: try text(bytes, line), isQuoted: false)
    }
    _ = try source.next()
    while let byte = try source.next() {
      if byte != Self.quote {
        bytes.append(byte)
      } else if try source.peek() == Self.quote {
        bytes.append(byte)
        _ = try source.next()
      } else {
        if let next = try source.peek(), !isEnd(next) {
          throw ReadableError(
            "line \(source.line): after a quoted field, a separator or the end of the line is missing"
          )
        }
        return Field(text: try text(bytes, line), isQuoted: true)
      }
    }
    throw ReadableError("line \(line): a quoted field has no closing quotation mark")
  }

  private func isEnd(_ byte: UInt8) -> Bool {
    byte == separator || byte == Self.lineFeed || byte == Self.carriageReturn
  }

  private func text(_ bytes: [UInt8], _ line: Int) throws -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ReadableError("line \(line): the text is not UTF-8")
    }
    return text
  }
}
