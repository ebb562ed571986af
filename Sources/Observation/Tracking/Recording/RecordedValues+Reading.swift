import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension RecordedValues {
  /// Returns the value with the index `place` in a state, which has the recorded values of one row.
  /// In a UTF-8 database, invalid text is returned with its bytes. In a UTF-16 database, invalid
  /// text is repaired.
  func value(of state: Int, at place: Int, of valueCount: Int) -> DatabaseValue {
    let payload = payload(of: state, at: place, of: valueCount)
    switch kind(of: state, at: place) {
    case .null: return .null
    case .integer: return .integer(Int64(bitPattern: payload))
    case .real: return .real(Double(bitPattern: payload))
    case .text:
      let bytes = content(of: state, payload)
      if encoding == .utf8 {
        return DatabaseValue(textOf: bytes.assumingMemoryBound(to: UInt8.self))
      }
      return .text(encoding.repairedString(bytes))
    case .blob: return .blob(Data(content(of: state, payload)))
    }
  }

  /// Returns the value with the index `place` in a state, which has the recorded values of one row.
  /// Returns nil for text that SQLite would not store again with the same bytes. This is mainly
  /// invalid text, because a `String` cannot hold it.
  func exactValue(
    of state: Int, at place: Int, of valueCount: Int
  ) -> DatabaseValue? {
    guard kind(of: state, at: place) == .text else {
      return value(of: state, at: place, of: valueCount)
    }
    let payload = payload(of: state, at: place, of: valueCount)
    return encoding.exactString(content(of: state, payload)).map { .text($0) }
  }

  /// Returns the value with the index `place` in a state, which has the recorded values of one row,
  /// in a form that can be written back. In a UTF-8 database, invalid text is returned with its
  /// bytes. In a UTF-16 database, returns nil for text that SQLite would store with other bytes.
  package func storedValue(of state: Int, at place: Int, of valueCount: Int) -> DatabaseValue? {
    encoding == .utf8
      ? value(of: state, at: place, of: valueCount)
      : exactValue(of: state, at: place, of: valueCount)
  }

  /// Returns all values of a state. They are the recorded values of one row.
  func values(of state: Int, count: Int) -> [DatabaseValue] {
    (0..<count).map { value(of: state, at: $0, of: count) }
  }

  func isNull(_ state: Int, at place: Int) -> Bool { kind(of: state, at: place) == .null }

  /// Returns whether two states have the same value at the index `place`. Values are compared like
  /// values of `DatabaseValue`. Text is compared by its bytes, even if the text is invalid.
  func isSame(_ first: Int, _ second: Int, at place: Int, of valueCount: Int) -> Bool {
    let kind = kind(of: first, at: place)
    guard kind == self.kind(of: second, at: place) else { return false }
    let left = payload(of: first, at: place, of: valueCount)
    let right = payload(of: second, at: place, of: valueCount)
    switch kind {
    case .null: return true
    case .integer: return left == right
    case .real: return Double(bitPattern: left) == Double(bitPattern: right)
    case .text, .blob:
      let (left, right) = (content(of: first, left), content(of: second, right))
      guard left.count == right.count else { return false }
      guard left.baseAddress != right.baseAddress, let start = left.baseAddress,
        let other = right.baseAddress
      else { return true }
      return memcmp(start, other, left.count) == 0
    }
  }

  /// Returns whether two states have the same values.
  func isSame(_ first: Int, _ second: Int, count: Int) -> Bool {
    guard first != second, let bytes else { return true }
    let (left, right) = (bytes + first, bytes + second)
    guard memcmp(left, right, count) == 0 else { return false }
    for place in 0..<count {
      let offset = count &+ 8 &* place
      let leftPayload = left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      let rightPayload = right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      let kind = left.load(fromByteOffset: place, as: UInt8.self)
      if kind <= Kind.integer.rawValue {
        guard leftPayload == rightPayload else { return false }
      } else if kind == Kind.real.rawValue {
        guard Double(bitPattern: leftPayload) == Double(bitPattern: rightPayload) else {
          return false
        }
      } else {
        let length = Int(leftPayload >> 32)
        guard length == Int(rightPayload >> 32) else { return false }
        let leftStart = left + Int(leftPayload & 0xFFFF_FFFF)
        let rightStart = right + Int(rightPayload & 0xFFFF_FFFF)
        // The addresses are compared first, because the old and the new state of a row often share
        // their texts and BLOBs.
        guard leftStart == rightStart || memcmp(leftStart, rightStart, length) == 0 else {
          return false
        }
      }
    }
    return true
  }

  /// Feeds the values of a state to a hasher. States with the same values have the same hash.
  func hash(_ state: Int, count: Int, into hasher: inout Hasher) {
    for place in 0..<count {
      let kind = kind(of: state, at: place)
      let payload = payload(of: state, at: place, of: count)
      hasher.combine(kind.rawValue)
      switch kind {
      case .null: break
      case .integer: hasher.combine(payload)
      case .real: hasher.combine(Double(bitPattern: payload))
      case .text, .blob: hasher.combine(bytes: content(of: state, payload))
      }
    }
  }
}

/// The encoding in which a database stores text.
///
/// - SeeAlso: <https://www.sqlite.org/pragma.html#pragma_encoding>
enum TextEncoding: String, Hashable, Sendable {
  case utf8 = "UTF-8"
  case utf16LittleEndian = "UTF-16le"
  case utf16BigEndian = "UTF-16be"

  /// Calls a closure with the bytes of a text in this encoding.
  func withBytes<Result>(
    of text: String, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    var text = text
    guard self != .utf8 else { return text.withUTF8 { body(UnsafeRawBufferPointer($0)) } }
    let units = text.utf16.map(inOrder)
    return units.withUnsafeBytes { body($0) }
  }

  /// Returns the text with the given bytes, with invalid parts repaired.
  func repairedString(_ bytes: UnsafeRawBufferPointer) -> String {
    self == .utf8
      ? String(decoding: bytes, as: UTF8.self) : String(decoding: units(bytes), as: UTF16.self)
  }

  /// Returns the text with the given bytes. Returns nil if SQLite would store the text with other
  /// bytes.
  func exactString(_ bytes: UnsafeRawBufferPointer) -> String? {
    let text = repairedString(bytes)
    guard self == .utf8 else {
      let units = units(bytes)
      // The text would be bound as UTF-8. When SQLite converts it to UTF-16, it treats U+FFFE and
      // U+FFFF as invalid, and stores other bytes for them.
      guard bytes.count % 2 == 0, !units.contains(where: { $0 >= 0xFFFE }),
        text.utf16.elementsEqual(units)
      else { return nil }
      return text
    }
    return text.utf8.elementsEqual(bytes) ? text : nil
  }

  private func units(_ bytes: UnsafeRawBufferPointer) -> [UInt16] {
    (0..<bytes.count / 2).map {
      inOrder(bytes.loadUnaligned(fromByteOffset: 2 * $0, as: UInt16.self))
    }
  }

  private func inOrder(_ unit: UInt16) -> UInt16 {
    self == .utf16BigEndian ? unit.bigEndian : unit.littleEndian
  }
}

extension Connection {
  /// Returns the encoding in which the main database stores text.
  func textEncoding() throws -> TextEncoding {
    let name = try row("PRAGMA encoding")?.get(String.self, at: 0) ?? ""
    return TextEncoding(rawValue: name) ?? .utf8
  }
}
