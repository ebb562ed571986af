/// A token of SQLite's SQL.
struct SQLiteToken: Sendable {
  enum Kind: Sendable {
    case word, quotedName, string, number, blob, parameter, sign
  }

  let kind: Kind
  /// The text of the token. A name or a string has lost its quotation marks. For a parameter, this
  /// is the number of the parameter, counted from 1.
  let text: String
  /// The range of the token in the bytes of the SQL.
  let range: Range<Int>

  func isWord(_ word: String) -> Bool { kind == .word && text.uppercased() == word }
  func isSign(_ sign: String) -> Bool { kind == .sign && text == sign }
  /// Whether the token may be the name of something.
  var isName: Bool { kind == .word || kind == .quotedName }
}

/// The tokens of a statement in SQLite's SQL.
/// - SeeAlso: <https://www.sqlite.org/lang.html>
struct SQLiteTokens {
  private let bytes: [UInt8]
  private(set) var tokens: [SQLiteToken] = []
  private var position = 0
  private var parameterCount = 0
  private var parameterNames: [String: Int] = [:]

  init(_ sql: String) throws {
    bytes = Array(sql.utf8)
    while try readToken() {}
  }

  /// Returns the text of a range of bytes.
  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  private func byte(_ offset: Int = 0) -> UInt8? {
    position + offset < bytes.count ? bytes[position + offset] : nil
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func isNamePart(_ byte: UInt8) -> Bool {
    isDigit(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
      || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$") || byte >= 0x80
  }

  private mutating func skipBlanks() {
    while let next = byte() {
      if next == 0x20 || (0x09...0x0D).contains(next) {
        position += 1
      } else if next == UInt8(ascii: "-"), byte(1) == UInt8(ascii: "-") {
        while let end = byte(), end != 0x0A { position += 1 }
      } else if next == UInt8(ascii: "/"), byte(1) == UInt8(ascii: "*") {
        position += 2
        while byte() != nil, !(byte() == UInt8(ascii: "*") && byte(1) == UInt8(ascii: "/")) {
          position += 1
        }
        position = min(position + 2, bytes.count)
      } else {
        return
      }
    }
  }

  private mutating func readToken() throws -> Bool {
    skipBlanks()
    guard let first = byte() else { return false }
    let start = position
    switch first {
    case UInt8(ascii: "'"):
      add(.string, try quoted(until: first), from: start)
    case UInt8(ascii: "\""), UInt8(ascii: "`"):
      add(.quotedName, try quoted(until: first), from: start)
    case UInt8(ascii: "["):
      add(.quotedName, try quoted(until: UInt8(ascii: "]")), from: start)
    case UInt8(ascii: "?"), UInt8(ascii: ":"), UInt8(ascii: "@"):
      position += 1
      while let next = byte(), Self.isNamePart(next) { position += 1 }
      add(.parameter, "\(number(ofParameter: text(start..<position)))", from: start)
    case UInt8(ascii: "x"), UInt8(ascii: "X"):
      guard byte(1) == UInt8(ascii: "'") else { fallthrough }
      position += 1
      add(.blob, try quoted(until: UInt8(ascii: "'")), from: start)
    default:
      if Self.isDigit(first) || first == UInt8(ascii: ".") && byte(1).map(Self.isDigit) == true {
        readNumber()
        add(.number, text(start..<position), from: start)
      } else if Self.isNamePart(first) {
        while let next = byte(), Self.isNamePart(next) { position += 1 }
        add(.word, text(start..<position), from: start)
      } else {
        let pairs = ["||", "<=", ">=", "<>", "!=", "==", "<<", ">>", "->"]
        let pair = text(start..<min(start + 2, bytes.count))
        position += pairs.contains(pair) ? 2 : 1
        if pair == "->", byte() == UInt8(ascii: ">") { position += 1 }
        add(.sign, text(start..<position), from: start)
      }
    }
    return true
  }

  private mutating func add(_ kind: SQLiteToken.Kind, _ text: String, from start: Int) {
    tokens.append(SQLiteToken(kind: kind, text: text, range: start..<position))
  }

  private mutating func quoted(until end: UInt8) throws -> String {
    var content: [UInt8] = []
    position += 1
    while let next = byte() {
      position += 1
      if next == end {
        guard byte() == end, end != UInt8(ascii: "]") else {
          return String(decoding: content, as: UTF8.self)
        }
        position += 1
      }
      content.append(next)
    }
    throw AnalyticsError.failed(
      reason: "a quotation does not end", sql: String(decoding: bytes, as: UTF8.self))
  }

  private mutating func readNumber() {
    if byte() == UInt8(ascii: "0"), byte(1) == UInt8(ascii: "x") || byte(1) == UInt8(ascii: "X") {
      position += 2
      while let next = byte(), Self.isNamePart(next) { position += 1 }
      return
    }
    while let next = byte() {
      let isSigned =
        (next == UInt8(ascii: "+") || next == UInt8(ascii: "-"))
        && (bytes[position - 1] | 0x20) == UInt8(ascii: "e")
      guard
        Self.isDigit(next) || next == UInt8(ascii: ".") || next | 0x20 == UInt8(ascii: "e")
          || isSigned
      else { return }
      position += 1
    }
  }

  /// Returns the number of a parameter. As in SQLite, the number of a `?` is one more than the
  /// greatest number of the parameters before it.
  private mutating func number(ofParameter name: String) -> Int {
    if name == "?" {
      parameterCount += 1
      return parameterCount
    }
    if name.hasPrefix("?"), let number = Int(name.dropFirst()) {
      parameterCount = max(parameterCount, number)
      return number
    }
    if let known = parameterNames[name] { return known }
    parameterCount += 1
    parameterNames[name] = parameterCount
    return parameterCount
  }
}
