/// A reader that splits CSV into records, according to RFC 4180.
///
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc4180>
struct CSVReader {
  struct Field {
    let text: String
    let isQuoted: Bool
  }

  struct Record {
    let fields: [Field]
    /// The line on which the record begins, from 1.
    let line: Int
  }

  private let bytes: [UInt8]
  private let separator: UInt8
  private var position = 0
  private var line = 1

  private static let quote = UInt8(ascii: "\"")
  private static let carriageReturn = UInt8(ascii: "\r")
  private static let lineFeed = UInt8(ascii: "\n")

  init(_ text: String, separator: UInt8) {
    var bytes = Array(text.utf8)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
    self.bytes = bytes
    self.separator = separator
  }

  /// Returns the next record; nil at the end. A line break at the end of the text does not begin
  /// another record.
  mutating func next() throws -> Record? {
    guard position < bytes.count else { return nil }
    let start = line
    var fields: [Field] = []
    while true {
      fields.append(try field())
      guard position < bytes.count else { break }
      if bytes[position] == separator {
        position += 1
        continue
      }
      skipLineBreak()
      break
    }
    return Record(fields: fields, line: start)
  }

  /// Returns the field that ends at the next separator or line break, or at the end of the text.
  private mutating func field() throws -> Field {
    guard position < bytes.count, bytes[position] == Self.quote else {
      let start = position
      while position < bytes.count, bytes[position] != separator, !isLineBreak(bytes[position]) {
        position += 1
      }
      return Field(
        text: String(decoding: bytes[start..<position], as: UTF8.self), isQuoted: false)
    }
    let start = line
    position += 1
    var text: [UInt8] = []
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == Self.lineFeed { line += 1 }
      guard byte == Self.quote else {
        text.append(byte)
        continue
      }
      if position < bytes.count, bytes[position] == Self.quote {
        text.append(byte)
        position += 1
        continue
      }
      guard position == bytes.count || bytes[position] == separator || isLineBreak(bytes[position])
      else {
        throw DataFrameError(
          "line \(line): a quoted field must be followed by a separator or a line break")
      }
      return Field(text: String(decoding: text, as: UTF8.self), isQuoted: true)
    }
    throw DataFrameError("line \(start): a quoted field has no closing quotation mark")
  }

  private func isLineBreak(_ byte: UInt8) -> Bool {
    byte == Self.lineFeed || byte == Self.carriageReturn
  }

  private mutating func skipLineBreak() {
    let isPair =
      bytes[position] == Self.carriageReturn && position + 1 < bytes.count
      && bytes[position + 1] == Self.lineFeed
    position += isPair ? 2 : 1
    line += 1
  }
}
