import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The position between two rows at which a page begins. `Rows` is the model of a `PageOrder`, or
/// the row type of a `Query` with pages.
///
/// The cursor holds values of the last row before the page: the values of the ORDER BY expressions
/// and of the keys. So the cursor stays valid if that row is changed or deleted. The cursor's text
/// has only letters, digits, `-` and `_`, so it can be part of a URL. In JSON, the cursor is a
/// string with this text.
///
/// ```swift
/// let text = cursor.description                   // for the client: "AQ…"
/// let received = try PageCursor<Post>(text)       // throws if it is not the text of a cursor
/// ```
/// The text is not encrypted. A client can read the values, and can make a cursor with other
/// values. Such a cursor can only change where the page begins. It cannot put text into the SQL,
/// because its values are bound.
public struct PageCursor<Rows>: Hashable, Sendable {
  /// A hash of the order for which the cursor was made.
  let order: UInt64
  let values: [DatabaseValue]
}

extension PageCursor: CustomStringConvertible {
  /// Reads the text of a cursor. Throws `QueryError` if the text is not the text of a cursor.
  ///
  /// ```swift
  /// let cursor = try token.map { try PageCursor<Post>($0) }      // no token: the first page
  /// ```
  public init(_ text: String) throws {
    guard let cursor = Self.read(text) else {
      throw QueryError(
        cursor: "the text is not that of a page's cursor; use the text of a cursor as it is, or "
          + "begin with the first page")
    }
    self = cursor
  }

  private static func read(_ text: String) -> PageCursor? {
    var base64 = text.replacing("-", with: "+").replacing("_", with: "/")
    base64 += String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    guard let data = Data(base64Encoded: base64) else { return nil }
    var bytes = CursorBytes(remaining: data[...])
    guard bytes.byte() == CursorBytes.version, let order = bytes.number() else { return nil }
    var values: [DatabaseValue] = []
    while !bytes.remaining.isEmpty {
      guard let value = bytes.value() else { return nil }
      values.append(value)
    }
    return PageCursor(order: order, values: values)
  }

  /// The text of the cursor. `init(_:)` makes an equal cursor from this text.
  public var description: String {
    var bytes = CursorBytes(remaining: Data([CursorBytes.version]))
    bytes.append(order)
    for value in values { bytes.append(value) }
    return bytes.remaining.base64EncodedString().replacing("+", with: "-")
      .replacing("/", with: "_").replacing("=", with: "")
  }
}

extension PageCursor: Codable {
  /// Decodes the text of a cursor. Throws `DecodingError` if the text is not the text of a cursor.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let cursor = Self.read(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "the text is not that of a PageCursor")
    }
    self = cursor
  }

  /// Encodes the text of the cursor.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension String {
  /// A hash (FNV-1a) that is the same in each run of the program.
  var stableHash: UInt64 {
    utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}

/// The bytes of a cursor: a version, the fingerprint of the order, and the values. Before each
/// value is a byte for its storage class.
private struct CursorBytes {
  static let version: UInt8 = 1

  /// The bytes that are still to be read or, while a cursor is written, the bytes written so far.
  var remaining: Data

  mutating func byte() -> UInt8? { remaining.popFirst() }

  mutating func number() -> UInt64? {
    guard let bytes = bytes(8) else { return nil }
    return bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  private mutating func bytes(_ count: Int) -> Data? {
    guard count <= remaining.count else { return nil }
    defer { remaining = remaining.dropFirst(count) }
    return Data(remaining.prefix(count))
  }

  mutating func value() -> DatabaseValue? {
    switch byte() {
    case 0: return .null
    case 1: return number().map { .integer(Int64(bitPattern: $0)) }
    case 2:
      guard let value = number().map(Double.init(bitPattern:)), !value.isNaN else { return nil }
      return .real(value)
    case 3:
      guard let count = number().flatMap(Int.init(exactly:)), let bytes = bytes(count) else {
        return nil
      }
      return String(validating: bytes, as: UTF8.self).map { .text($0) }
    case 4:
      guard let count = number().flatMap(Int.init(exactly:)) else { return nil }
      return bytes(count).map { .blob($0) }
    default: return nil
    }
  }

  mutating func append(_ number: UInt64) {
    for shift in stride(from: 56, through: 0, by: -8) {
      remaining.append(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
    }
  }

  mutating func append(_ value: DatabaseValue) {
    switch value {
    case .null: remaining.append(0)
    case .integer(let value):
      remaining.append(1)
      append(UInt64(bitPattern: value))
    case .real(let value):
      remaining.append(2)
      append(value.bitPattern)
    case .text(let text):
      remaining.append(3)
      append(UInt64(text.utf8.count))
      remaining.append(contentsOf: text.utf8)
    // A row with an invalid text cannot be read. So no page ends with such a row, and no cursor
    // contains an invalid text.
    case .blob(let blob), .invalidText(let blob):
      remaining.append(4)
      append(UInt64(blob.count))
      remaining.append(blob)
    }
  }
}
