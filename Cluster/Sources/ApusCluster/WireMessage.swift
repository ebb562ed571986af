import Foundation
import NIOCore
import SQLCore

/// A request of dqlite's wire protocol. All numbers are little-endian. Each part is padded with
/// zeros to words of eight bytes.
/// - SeeAlso: <https://dqlite.io/docs/reference/wire-protocol>
enum Request {
  case leader
  case open(database: String)
  case executeSQL(database: UInt32, sql: String, values: [DatabaseValue])
  case querySQL(database: UInt32, sql: String, values: [DatabaseValue])

  private var type: UInt8 {
    switch self {
    case .leader: 0
    case .open: 3
    case .executeSQL: 8
    case .querySQL: 9
    }
  }

  /// Appends the request with its header: the length of its body in words, and its type.
  func write(to buffer: inout ByteBuffer) throws {
    let start = buffer.writerIndex
    buffer.writeInteger(UInt64(0))
    switch self {
    case .leader: buffer.writeWord(0)
    case .open(let name):
      buffer.writeText(name)
      // The flags of `sqlite3_open_v2`, to read, write and create the database.
      buffer.writeWord(6)
      buffer.writeText("")
    case .executeSQL(let database, let sql, let values),
      .querySQL(let database, let sql, let values):
      buffer.writeWord(UInt64(database))
      buffer.writeText(sql)
      try buffer.writeParameters(values)
    }
    let words = UInt32(clamping: (buffer.writerIndex - start - 8) / 8)
    buffer.setInteger(words, at: start, endianness: .little)
    buffer.setInteger(type, at: start + 4)
  }
}

/// A response of dqlite's wire protocol, without its header.
struct Response: Sendable {
  enum Kind: UInt8 {
    case failure = 0
    case server = 1
    case database = 4
    case result = 6
    case rows = 7
  }

  let type: UInt8
  let body: ByteBuffer

  var kind: Kind? { Kind(rawValue: type) }
}

/// The types of values in parameters and rows.
enum WireType: UInt8 {
  case integer = 1
  case real = 2
  case text = 3
  case blob = 4
  case null = 5

  init(_ value: DatabaseValue) {
    self =
      switch value {
      case .null: .null
      case .integer: .integer
      case .real: .real
      case .text, .invalidText: .text
      case .blob: .blob
      }
  }
}

extension ByteBuffer {
  mutating func writeWord(_ word: UInt64) {
    writeInteger(word, endianness: .little)
  }

  /// Writes a text with a zero byte at its end, padded to a word.
  mutating func writeText(_ text: String) {
    let count = writeString(text) + 1
    writeInteger(UInt8(0))
    writeRepeatingByte(0, count: (8 - count % 8) % 8)
  }

  /// Writes the number of values, their types, and the values. Writes nothing for an empty list.
  mutating func writeParameters(_ values: [DatabaseValue]) throws {
    guard !values.isEmpty else { return }
    writeInteger(UInt8(values.count))
    for value in values { writeInteger(WireType(value).rawValue) }
    writeRepeatingByte(0, count: (8 - (values.count + 1) % 8) % 8)
    for value in values {
      switch value {
      case .null: writeWord(0)
      case .integer(let integer): writeInteger(integer, endianness: .little)
      case .real(let real): writeInteger(real.bitPattern, endianness: .little)
      case .text(let text):
        // dqlite would store only the part of the text before the zero byte.
        guard !text.utf8.contains(0) else {
          throw DatabaseError(
            code: .mismatch,
            message: "a dqlite cluster cannot store a text with U+0000; store a BLOB instead")
        }
        writeText(text)
      case .invalidText:
        throw DatabaseError(
          code: .mismatch,
          message: "a dqlite cluster cannot store a text that is not UTF-8; store a BLOB instead")
      case .blob(let data):
        writeWord(UInt64(data.count))
        writeBytes(data)
        writeRepeatingByte(0, count: (8 - data.count % 8) % 8)
      }
    }
  }
}

/// A reader of the parts of an answer, one after another. The bytes that were already read stay in
/// memory, so that a row can refer to their positions.
struct WireReader {
  let bytes: ByteBuffer
  var position: Int

  init(_ bytes: ByteBuffer) {
    self.bytes = bytes
    position = bytes.readerIndex
  }

  mutating func readWord() throws -> UInt64 {
    guard let word = bytes.getInteger(at: position, endianness: .little, as: UInt64.self) else {
      throw ProtocolError.truncated
    }
    position += 8
    return word
  }

  /// Reads a text, its zero byte and its padding.
  mutating func readText() throws -> String {
    let range = try skipText()
    return bytes.getString(at: range.lowerBound, length: range.count) ?? ""
  }

  /// Goes past a text and its padding, and returns the positions of its bytes.
  mutating func skipText() throws -> Range<Int> {
    let start = position
    guard let rest = bytes.viewBytes(at: start, length: bytes.writerIndex - start),
      let end = rest.firstIndex(of: 0)
    else { throw ProtocolError.truncated }
    try skip(padded: end - start + 1)
    return start..<end
  }

  var isAtEnd: Bool { position == bytes.writerIndex }

  mutating func skip(_ count: Int) throws {
    guard count >= 0, count <= bytes.writerIndex - position else { throw ProtocolError.truncated }
    position += count
  }

  /// Goes past `count` bytes and their padding. Throws if the answer is shorter, since `count` may
  /// come from the node.
  mutating func skip(padded count: Int) throws {
    try skip(count)
    try skip((8 - count % 8) % 8)
  }
}

/// The error of an answer that cannot be decoded.
enum ProtocolError: Error, CustomStringConvertible {
  case truncated
  case unexpected(UInt8)
  case convertedColumn(String)

  var description: String {
    switch self {
    case .truncated: "the node sent an answer that ends too early"
    case .unexpected(let type): "the node sent an answer of an unexpected type, \(type)"
    case .convertedColumn(let name):
      "the column \(name) is declared with a type that dqlite converts (DATE, DATETIME, TIMESTAMP "
        + "or BOOLEAN), so its values would be wrong; declare it as INTEGER, REAL or TEXT"
    }
  }
}
