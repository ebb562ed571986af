/// The bytes that have a meaning in control files.
enum ASCII {
  static let tab = UInt8(ascii: "\t")
  static let newline = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
  static let space = UInt8(ascii: " ")
  static let colon = UInt8(ascii: ":")
  static let comma = UInt8(ascii: ",")
  static let bar = UInt8(ascii: "|")
  static let openingParenthesis = UInt8(ascii: "(")
  static let closingParenthesis = UInt8(ascii: ")")
}

extension UInt8 {
  /// Whether the byte is a space, a tab, or a part of a line break.
  var isWhiteSpace: Bool {
    self == ASCII.space || self == ASCII.newline || self == ASCII.carriageReturn
      || self == ASCII.tab
  }

  var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }

  var isLetter: Bool { lowercased &- UInt8(ascii: "a") < 26 }

  /// Whether the name of a package may contain the byte.
  var isNameByte: Bool {
    switch self {
    case UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "_"): true
    default: isLetter || isDigit
    }
  }

  /// The byte, converted to a small letter if it is a capital letter.
  var lowercased: UInt8 { self &- UInt8(ascii: "A") < 26 ? self | 0x20 : self }
}

extension [UInt8] {
  /// Returns the index of the next newline; `end` if there is no newline before `end`.
  func newline(from start: Int, to end: Int) -> Int {
    var position = start
    while position < end, self[position] != ASCII.newline { position += 1 }
    return position
  }

  /// Returns the range without the white space at its ends.
  func trimmed(_ range: Range<Int>) -> Range<Int> {
    var start = range.lowerBound
    var end = range.upperBound
    while end > start, self[end - 1].isWhiteSpace { end -= 1 }
    while start < end, self[start].isWhiteSpace { start += 1 }
    return start..<end
  }

  /// Returns the bytes as text; bytes that are not valid UTF-8 become replacement characters.
  func text(_ range: Range<Int>) -> String {
    // The pointer saves a copy of the bytes. It is safe because the range is checked, and because
    // it is used only inside the closure.
    withUnsafeBufferPointer {
      String(decoding: UnsafeBufferPointer(rebasing: $0[range]), as: UTF8.self)
    }
  }
}
