import ToolOutput

/// The records of CSV, read one at a time.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc4180>
package final class CSVRecords {
  package struct Field {
    /// The range of the field's bytes, without quotation marks, counted from the start of the
    /// record.
    fileprivate var range: Range<Int>
    package let isQuoted: Bool
    fileprivate let isASCII: Bool

    package var isEmpty: Bool { range.isEmpty }
  }

  private let source: ByteSource
  private let separator: UInt8
  /// The position of the next record among the bytes in memory.
  private var start: Int
  /// A pointer to the first byte of the current record.
  private var record: UnsafeMutablePointer<UInt8>
  private var nextLine = 1
  /// The fields of the current record.
  package private(set) var fields: [Field] = []
  /// The number of the line on which the current record begins, counted from 1.
  package private(set) var line = 1

  /// Whether the current record is an empty line.
  package var isBlank: Bool { fields.count == 1 && fields[0].isEmpty && !fields[0].isQuoted }

  /// The number of bytes that have been read.
  package var byteCount: Int { source.removedCount + start }

  private static let quote = UInt8(ascii: "\"")
  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")

  package init(_ source: ByteSource, separator: UInt8 = UInt8(ascii: ",")) throws {
    self.source = source
    self.separator = separator
    start = try source.lengthOfByteOrderMark()
    record = source.bytes
  }

  /// Returns the bytes of a field of the record. Throws if they are not UTF-8.
  package func bytes(_ field: Field) throws -> Bytes {
    let bytes = Bytes(start: record + field.range.lowerBound, count: field.range.count)
    guard field.isASCII || bytes.text != nil else {
      throw ReadableError("line \(line): the text is not UTF-8")
    }
    return bytes
  }

  /// Returns the text of a field of the record.
  package func text(_ field: Field) throws -> String {
    String(decoding: try bytes(field), as: UTF8.self)
  }

  /// Reads the next record. Returns false at the end. An empty line is a record with one empty
  /// field. A line break at the end of the source begins no further record.
  package func next() throws -> Bool {
    fields.removeAll(keepingCapacity: true)
    line = nextLine
    record = source.bytes + start
    var length = 0
    guard try has(length) else { return false }
    while true {
      length = try readField(at: length)
      guard try has(length) else { break }
      let end = record[length]
      length += 1
      if end == separator { continue }
      if end == Self.carriageReturn, try has(length), record[length] == Self.lineFeed {
        length += 1
      }
      nextLine += 1
      break
    }
    start += length
    return true
  }

  /// Returns whether the source has a byte at an offset from the start of the record.
  @inline(__always)
  private func has(_ offset: Int) throws -> Bool {
    start + offset < source.count ? true : try load()
  }

  /// Loads more bytes. This moves the current record in memory.
  private func load() throws -> Bool {
    let isLoaded = try source.load(keepingFrom: start)
    start = 0
    record = source.bytes
    return isLoaded
  }

  /// Reads a field up to the byte that ends it. Returns the offset of that byte.
  private func readField(at begin: Int) throws -> Int {
    if try has(begin), record[begin] == Self.quote { return try readQuotedField(at: begin + 1) }
    var end = begin
    var bits: UInt8 = 0
    repeat {
      // The loop over the bytes uses local copies of the properties, which makes it several times
      // as fast.
      let (bytes, count, separator) = (record, source.count - start, separator)
      while end < count {
        let byte = bytes[end]
        if byte == separator || byte == Self.lineFeed || byte == Self.carriageReturn {
          fields.append(Field(range: begin..<end, isQuoted: false, isASCII: bits < 0x80))
          return end
        }
        bits |= byte
        end += 1
      }
    } while try load()
    fields.append(Field(range: begin..<end, isQuoted: false, isASCII: bits < 0x80))
    return end
  }

  /// Reads the rest of a field whose opening quotation mark was read. Changes the bytes of the
  /// record in memory, so that doubled quotation marks become single ones.
  private func readQuotedField(at begin: Int) throws -> Int {
    var offset = begin
    var end = begin
    var bits: UInt8 = 0
    while try has(offset) {
      let byte = record[offset]
      offset += 1
      if byte == Self.quote {
        guard try has(offset), record[offset] == Self.quote else {
          fields.append(Field(range: begin..<end, isQuoted: true, isASCII: bits < 0x80))
          guard try !has(offset) || isEnd(record[offset]) else {
            throw ReadableError(
              "line \(nextLine): after a quoted field, a separator or the end of the line is missing"
            )
          }
          return offset
        }
        offset += 1
      } else if byte == Self.lineFeed {
        nextLine += 1
      }
      bits |= byte
      record[end] = byte
      end += 1
    }
    throw ReadableError("line \(line): a quoted field has no closing quotation mark")
  }

  private func isEnd(_ byte: UInt8) -> Bool {
    byte == separator || byte == Self.lineFeed || byte == Self.carriageReturn
  }
}
