import Apus
import Foundation
@_spi(Tools) import SQLCore

/// Rows as CSV or JSON, written as bytes one after another, without creating a value or a String
/// for each cell.
struct RowText {
  private let names: [String]
  private let isJSON: Bool
  /// The keys of JSON, with the separators that stand before them in a row.
  private var keys: [[UInt8]] = []
  /// The number of rows.
  private(set) var count = 0
  private var bytes: [UInt8] = []

  /// The number of bytes that `take()` has not returned yet.
  var byteCount: Int { bytes.count }

  init(names: [String], isJSON: Bool) {
    self.names = names
    self.isJSON = isJSON
    bytes.reserveCapacity(1 << 17)
    if isJSON {
      var writer = JSONRows()
      writer.names(names)
      keys = writer.keys.enumerated().map {
        Array(($0 == 0 ? "" : ", ").utf8) + Array("\($1): ".utf8)
      }
    } else {
      bytes += CSVLine.text(of: names.map(DatabaseValue.text), isTerminal: false).utf8
    }
  }

  /// Removes and returns the text of the rows that were appended since the last call.
  mutating func take() -> String {
    defer { bytes.removeAll(keepingCapacity: true) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends the text after the last row: for JSON, the end of the array.
  mutating func end() {
    if isJSON { bytes += (count == 0 ? "[]\n" : "\n]\n").utf8 }
  }

  /// Appends a row. Throws for a text that is not UTF-8.
  mutating func append(_ row: borrowing StatementRow) throws {
    if isJSON { bytes += (count == 0 ? "[\n  {" : ",\n  {").utf8 }
    for index in names.indices {
      if isJSON {
        bytes.append(contentsOf: keys[index])
      } else if index > 0 {
        bytes.append(UInt8(ascii: ","))
      }
      let isText = try row.withCell(at: index) { try append($0) }
      guard isText else { throw TextCheck.failure(row: count + 1, names[index]) }
    }
    if isJSON { bytes.append(UInt8(ascii: "}")) } else { bytes += "\r\n".utf8 }
    count += 1
  }

  /// Appends a value. Returns false for a text that is not UTF-8.
  private mutating func append(_ cell: borrowing Cell) throws -> Bool {
    switch cell.storageClass {
    case .null: if isJSON { bytes += "null".utf8 }
    case .integer: append(try cell.integer())
    case .real:
      let real = try cell.real()
      bytes += (isJSON ? DatabaseValue.real(real).json : String(real)).utf8
    case .text:
      return try cell.withText { span in
        span.withUnsafeBufferPointer { isJSON ? appendJSON($0) : appendCSV($0) }
      }
    case .blob:
      let text = try cell.blob().base64EncodedString()
      bytes += (isJSON || text.isEmpty ? "\"\(text)\"" : text).utf8
    }
    return true
  }

  private mutating func append(_ integer: Int64) {
    if integer < 0 { bytes.append(UInt8(ascii: "-")) }
    var rest = integer.magnitude
    let start = bytes.count
    repeat {
      bytes.append(UInt8(truncatingIfNeeded: rest % 10) + 0x30)
      rest /= 10
    } while rest > 0
    bytes[start...].reverse()
  }

  private mutating func appendCSV(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var bits: UInt8 = 0
    var isQuoted = false
    for byte in text {
      bits |= byte
      if byte == 0x22 || byte == 0x2C || byte == 0x0A || byte == 0x0D { isQuoted = true }
    }
    guard bits < 0x80 || String(validating: text, as: UTF8.self) != nil else { return false }
    // Quotation marks keep spaces at the ends, which some programs cut. A text that begins with
    // `CAST(x'` needs quotation marks, because it would otherwise stand for a text that is not
    // UTF-8.
    if text.isEmpty || text.first == 0x20 || text.last == 0x20 || text.starts(with: "CAST(x'".utf8)
    {
      isQuoted = true
    }
    guard isQuoted else {
      bytes.append(contentsOf: text)
      return true
    }
    bytes.append(0x22)
    for byte in text {
      bytes.append(byte)
      if byte == 0x22 { bytes.append(byte) }
    }
    bytes.append(0x22)
    return true
  }

  private mutating func appendJSON(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    // All characters that need an escape are ASCII, or begin with one of three bytes: C2, D8 or E2.
    let isPlain = text.allSatisfy { byte in
      byte >= 0x20 && byte != 0x22 && byte != 0x5C && byte != 0x7F && byte != 0xC2 && byte != 0xD8
        && byte != 0xE2
    }
    if isPlain, text.allSatisfy({ $0 < 0x80 }) {
      bytes.append(0x22)
      bytes.append(contentsOf: text)
      bytes.append(0x22)
      return true
    }
    guard let string = String(validating: text, as: UTF8.self) else { return false }
    bytes += (isPlain ? "\"\(string)\"" : string.jsonLiteral).utf8
    return true
  }
}
