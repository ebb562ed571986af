/// The encoding in which a database stores text.
///
/// - SeeAlso: <https://www.sqlite.org/pragma.html#pragma_encoding>
package enum TextEncoding: String, Hashable, Sendable {
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

  /// Returns the text of these bytes, with invalid parts repaired.
  func repairedString(_ bytes: UnsafeRawBufferPointer) -> String {
    self == .utf8
      ? String(decoding: bytes, as: UTF8.self) : String(decoding: units(bytes), as: UTF16.self)
  }

  /// Returns the text of these bytes; nil unless SQLite would store the text as the same bytes.
  func exactString(_ bytes: UnsafeRawBufferPointer) -> String? {
    let text = repairedString(bytes)
    guard self == .utf8 else {
      let units = units(bytes)
      // When SQLite converts from UTF-8, it treats U+FFFE and U+FFFF as invalid.
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
  package func textEncoding() throws -> TextEncoding {
    let name = try row("PRAGMA encoding")?.get(String.self, at: 0) ?? ""
    return TextEncoding(rawValue: name) ?? .utf8
  }
}
