import CSQLite

/// The effect of a raw statement on the stack of savepoints.
///
/// SQLite has no hook for savepoints, so the text is parsed when the statement is prepared. Names
/// are folded as SQLite compares them: ASCII letters without case.
/// - SeeAlso: <https://www.sqlite.org/lang_savepoint.html>
package enum SavepointAction: Equatable, Sendable {
  /// `SAVEPOINT name`
  case open(String)
  /// `RELEASE [SAVEPOINT] name`
  case release(String)
  /// `ROLLBACK [TRANSACTION [name]] TO [SAVEPOINT] name`
  case rollBack(String)

  init?(statement: OpaquePointer) {
    guard let text = sqlite3_sql(statement) else { return nil }
    var words = SQLWords(text)
    switch words.next() {
    case "savepoint":
      guard let name = words.next() else { return nil }
      self = .open(name)
    case "release":
      guard let name = words.next(skipping: "savepoint") else { return nil }
      self = .release(name)
    case "rollback":
      // A transaction may be given a name, which SQLite ignores.
      if words.take("transaction"), !words.isAt("to") { _ = words.next() }
      guard words.take("to"), let name = words.next(skipping: "savepoint") else { return nil }
      self = .rollBack(name)
    default:
      return nil
    }
  }
}

/// The first words of a statement: comments are skipped, names unquoted, ASCII letters in lower
/// case.
private struct SQLWords {
  private var position: UnsafePointer<CChar>
  private var last: (word: String, quoted: Bool)?

  init(_ text: UnsafePointer<CChar>) {
    position = text
    skipSpace()
    // Skips empty statements before the first one.
    while UInt8(bitPattern: position.pointee) == UInt8(ascii: ";") {
      position += 1
      skipSpace()
    }
  }

  /// Whether the next word is `keyword`, unquoted.
  func isAt(_ keyword: String) -> Bool {
    var words = self
    return words.next() == keyword && words.last?.quoted == false
  }

  /// Skips the next word if it is `keyword`, and returns whether it was.
  mutating func take(_ keyword: String) -> Bool {
    guard isAt(keyword) else { return false }
    _ = next()
    return true
  }

  /// Returns the next word; nil at the end of the text and before any other character.
  mutating func next() -> String? {
    last = nil
    skipSpace()
    let first = UInt8(bitPattern: position.pointee)
    switch first {
    case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"): return quoted(until: first)
    case UInt8(ascii: "["): return quoted(until: UInt8(ascii: "]"))
    default: return bare()
    }
  }

  /// Skips `keyword`, which is optional, and returns the next word.
  mutating func next(skipping keyword: String) -> String? {
    _ = take(keyword)
    return next()
  }

  private mutating func skipSpace() {
    while true {
      switch UInt8(bitPattern: position.pointee) {
      case 0x20, 0x09...0x0D:
        position += 1
      // A byte order mark.
      case 0xEF where UInt8(bitPattern: position[1]) == 0xBB:
        guard UInt8(bitPattern: position[2]) == 0xBF else { return }
        position += 3
      case UInt8(ascii: "-") where position[1] == CChar(bitPattern: UInt8(ascii: "-")):
        while position.pointee != 0, position.pointee != 0x0A { position += 1 }
      case UInt8(ascii: "/") where position[1] == CChar(bitPattern: UInt8(ascii: "*")):
        position += 2
        while position.pointee != 0 {
          if position[0] == 0x2A, position[1] == 0x2F {
            position += 2
            break
          }
          position += 1
        }
      default:
        return
      }
    }
  }

  private mutating func bare() -> String? {
    var bytes: [UInt8] = []
    while true {
      let byte = UInt8(bitPattern: position.pointee)
      let isLetter = (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A
      guard isLetter || (48...57).contains(byte) || byte == 0x5F || byte == 0x24 || byte >= 0x80
      else { break }
      bytes.append(Self.folded(byte))
      position += 1
    }
    guard !bytes.isEmpty else { return nil }
    let word = String(decoding: bytes, as: UTF8.self)
    last = (word, false)
    return word
  }

  private mutating func quoted(until end: UInt8) -> String? {
    var bytes: [UInt8] = []
    position += 1
    while position.pointee != 0 {
      let byte = UInt8(bitPattern: position.pointee)
      position += 1
      if byte == end {
        guard end != UInt8(ascii: "]"), UInt8(bitPattern: position.pointee) == end else {
          let word = String(decoding: bytes, as: UTF8.self)
          last = (word, true)
          return word
        }
        position += 1
      }
      bytes.append(Self.folded(byte))
    }
    return nil
  }

  private static func folded(_ byte: UInt8) -> UInt8 {
    (65...90).contains(byte) ? byte | 0x20 : byte
  }
}
