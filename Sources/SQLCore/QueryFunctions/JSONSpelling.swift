import CSQLite

/// Functions for escapes such as `\u00f6` in JSON, which SQLite's own JSON functions do not always
/// understand.
package enum JSONSpelling {
  /// Returns the JSON with its keys spelled as `JSONEncoder` spells them: without escapes, except
  /// for quotation marks, backslashes and control characters.
  ///
  /// Before version 3.45, SQLite compares a key in a path with the bytes of the JSON. It therefore
  /// does not find `größe` if the JSON contains `gr\u00f6\u00dfe`, which is how Python and PHP
  /// write the key.
  ///
  /// If the JSON has no backslash, the only cost is the search for a backslash. Text that is not
  /// JSON is returned unchanged.
  static func plainKeys(of json: String) -> String {
    guard json.utf8.contains(backslash) else { return json }
    var json = json
    return json.withUTF8 { bytes in
      var result: [UInt8] = []
      result.reserveCapacity(bytes.count)
      var position = 0
      while position < bytes.count {
        guard bytes[position] == quotationMark, let end = endOfText(in: bytes, from: position)
        else {
          result.append(bytes[position])
          position += 1
          continue
        }
        let text = bytes[position..<end]
        let next = bytes[end...].first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        if next == UInt8(ascii: ":"), text.contains(backslash) {
          append(text, to: &result)
        } else {
          result += text
        }
        position = end
      }
      return String(decoding: result, as: UTF8.self)
    }
  }

  /// Returns whether JSON may contain the key in a form with escapes, such as `gr\u00f6\u00dfe` for
  /// `größe`. Returns false if the key consists of ASCII letters, digits and a few other
  /// characters, such as `_`, because no known encoder escapes these characters.
  package static func hasOtherSpellings(_ key: String) -> Bool {
    !key.utf8.allSatisfy {
      switch $0 {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
        UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "$"), UInt8(ascii: "@"),
        UInt8(ascii: "#"), UInt8(ascii: " "):
        true
      default: false
      }
    }
  }

  /// Throws if SQLite is older than 3.45 and a key or a text in the JSON contains U+0000. Such a
  /// version of SQLite would cut the key or the text at this character.
  static func checkEnds(in json: String) throws {
    guard sqlite3_libversion_number() < 3_045_000, json.utf8.contains(backslash) else { return }
    var isEscaped = false
    var rest = json.utf8[...]
    while let byte = rest.popFirst() {
      if isEscaped, byte == UInt8(ascii: "u"), rest.prefix(4).allSatisfy({ $0 == 0x30 }) {
        throw ColumnValueError(
          .invalid(
            expected:
              "a table of the values in JSON: SQLite before 3.45 cuts a text at U+0000 there; "
              + "use jsonEach of a JSON array or object, or decode the JSON in Swift",
            found: String(json.prefix(60))))
      }
      isEscaped = byte == backslash && !isEscaped
    }
  }

  private static let quotationMark = UInt8(ascii: "\"")
  private static let backslash = UInt8(ascii: "\\")

  /// Returns the position after the closing quotation mark of the JSON string that begins at
  /// `start`. Returns nil if there is no closing quotation mark.
  private static func endOfText(
    in bytes: UnsafeBufferPointer<UInt8>, from start: Int
  ) -> Int? {
    var position = start + 1
    while position < bytes.count {
      switch bytes[position] {
      case quotationMark: return position + 1
      case backslash: position += 2
      default: position += 1
      }
    }
    return nil
  }

  /// Appends a key. Replaces each escape in it by the character itself, unless JSON requires the
  /// escape.
  private static func append(_ key: Slice<UnsafeBufferPointer<UInt8>>, to result: inout [UInt8]) {
    var position = key.startIndex
    while position < key.endIndex {
      guard key[position] == backslash, position + 1 < key.endIndex else {
        result.append(key[position])
        position += 1
        continue
      }
      if key[position + 1] == UInt8(ascii: "/") {
        result.append(UInt8(ascii: "/"))
        position += 2
      } else if let (scalar, length) = escapedScalar(in: key, at: position) {
        result += UTF8.encode(scalar).map(Array.init) ?? []
        position += length
      } else {
        result += key[position...position + 1]
        position += 2
      }
    }
  }

  /// Returns the character that an escape such as `\u00f6` or a pair such as `\ud83d\ude00` stands
  /// for, and the number of bytes of the escape. Returns nil for any other escape, and for a
  /// character that JSON must escape.
  private static func escapedScalar(
    in key: Slice<UnsafeBufferPointer<UInt8>>, at position: Int
  ) -> (Unicode.Scalar, length: Int)? {
    guard let first = codeUnit(in: key, at: position) else { return nil }
    if UTF16.isLeadSurrogate(first) {
      guard let second = codeUnit(in: key, at: position + 6), UTF16.isTrailSurrogate(second) else {
        return nil
      }
      let rest = UInt32(first - 0xD800) << 10 + UInt32(second - 0xDC00)
      return Unicode.Scalar(0x10000 + rest).map { ($0, 12) }
    }
    guard let scalar = Unicode.Scalar(first), first >= 0x20, scalar != "\"", scalar != "\\" else {
      return nil
    }
    return (scalar, 6)
  }

  private static func codeUnit(
    in key: Slice<UnsafeBufferPointer<UInt8>>, at position: Int
  ) -> UInt16? {
    guard position + 6 <= key.endIndex, key[position] == backslash,
      key[position + 1] == UInt8(ascii: "u")
    else { return nil }
    let digits = key[position + 2..<position + 6]
    guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
    return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
  }
}
