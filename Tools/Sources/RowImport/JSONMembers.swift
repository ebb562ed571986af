/// The members of a JSON object, if all of them have the most common forms: texts without `\u`,
/// numbers whose digits an Int64 or a Double holds, `true`, `false` and `null`.
///
/// An object with anything else, such as an array, a name that occurs twice or a fault, is left to
/// the parser of data frames, which takes ten times as long.
final class JSONMembers {
  enum Value {
    case null
    case integer(Int64)
    case real(Double)
    /// A text, as bytes that are valid until the next object is read.
    case text(Bytes)
  }

  /// The names of the members, in their order.
  private(set) var names: [String] = []
  private(set) var values: [Value] = []
  /// The bytes of all names, one after another; `nameEnds` has the offset of the end of each name.
  private var nameBytes: [UInt8] = []
  private var nameEnds: [Int] = []
  /// The memory for texts in which escapes were replaced.
  private var unescaped = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 1 << 12)

  deinit { unescaped.deallocate() }

  /// Removes the names, so that all names of the next object count as new.
  func reset() { removeNames(from: 0) }

  /// Reads an object. Returns nil if the object has an uncommon form. Otherwise returns whether it
  /// has the same names as the previous object, in the same order.
  func read(_ object: Bytes) -> Bool? {
    values.removeAll(keepingCapacity: true)
    if unescaped.count < object.count {
      unescaped.deallocate()
      unescaped = .allocate(capacity: object.count * 2)
    }
    guard let base = object.baseAddress, let room = unescaped.baseAddress else { return nil }
    var reader = Reader(bytes: base, count: object.count, room: room)
    guard reader.take("{") else { return nil }
    var index = 0
    var isSame = true
    if !reader.take("}") {
      repeat {
        guard let name = reader.string() else { return nil }
        if isSame { isSame = isName(index, name) }
        guard isSame || replaceName(index, name), reader.take(":"), let value = reader.value()
        else { return nil }
        values.append(value)
        index += 1
      } while reader.take(",")
      guard reader.take("}") else { return nil }
    }
    guard index < names.count else { return isSame }
    removeNames(from: index)
    return false
  }

  // MARK: Names

  private func isName(_ index: Int, _ name: Bytes) -> Bool {
    guard index < nameEnds.count else { return false }
    let start = index == 0 ? 0 : nameEnds[index - 1]
    guard nameEnds[index] - start == name.count else { return false }
    for offset in 0..<name.count where nameBytes[start + offset] != name[offset] { return false }
    return true
  }

  /// Removes the names from an index on, and appends a name. Returns false if an earlier member has
  /// the same name.
  private func replaceName(_ index: Int, _ name: Bytes) -> Bool {
    removeNames(from: index)
    let text = String(decoding: name, as: UTF8.self)
    guard !names.contains(text) else { return false }
    names.append(text)
    nameBytes.append(contentsOf: name)
    nameEnds.append(nameBytes.count)
    return true
  }

  private func removeNames(from index: Int) {
    guard index < names.count else { return }
    nameBytes.removeSubrange((index == 0 ? 0 : nameEnds[index - 1])...)
    nameEnds.removeSubrange(index...)
    names.removeSubrange(index...)
  }
}

/// A parser of the bytes of an object. Each method returns nil or false for a form that it does not
/// know.
private struct Reader {
  let bytes: UnsafePointer<UInt8>
  let count: Int
  /// The free memory for texts in which escapes are replaced. It suffices for the whole object.
  var room: UnsafeMutablePointer<UInt8>
  private var position = 0

  init(bytes: UnsafePointer<UInt8>, count: Int, room: UnsafeMutablePointer<UInt8>) {
    self.bytes = bytes
    self.count = count
    self.room = room
  }

  /// Skips white space, and then the given character. Returns false if another character comes
  /// next.
  mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    skipSpace()
    guard position < count, bytes[position] == UInt8(ascii: scalar) else { return false }
    position += 1
    return true
  }

  private mutating func skipSpace() {
    while position < count {
      switch bytes[position] {
      case 0x20, 0x09, 0x0A, 0x0D: position += 1
      default: return
      }
    }
  }

  mutating func value() -> JSONMembers.Value? {
    skipSpace()
    guard position < count else { return nil }
    switch bytes[position] {
    case UInt8(ascii: "\""): return string().map { .text($0) }
    case UInt8(ascii: "n"): return takeWord("null") ? .null : nil
    case UInt8(ascii: "t"): return takeWord("true") ? .integer(1) : nil
    case UInt8(ascii: "f"): return takeWord("false") ? .integer(0) : nil
    default: return number()
    }
  }

  private mutating func takeWord(_ word: StaticString) -> Bool {
    let length = word.utf8CodeUnitCount
    guard position + length <= count else { return false }
    for offset in 0..<length where bytes[position + offset] != word.utf8Start[offset] {
      return false
    }
    position += length
    return true
  }

  mutating func string() -> Bytes? {
    guard take("\"") else { return nil }
    let start = position
    while position < count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "\"") {
        position += 1
        return Bytes(start: bytes + start, count: position - 1 - start)
      }
      if byte == UInt8(ascii: "\\") { return escapedString(from: start) }
      guard byte >= 0x20 else { return nil }
      position += 1
    }
    return nil
  }

  /// Reads a text whose first escape is at the current position.
  private mutating func escapedString(from start: Int) -> Bytes? {
    let text = room
    var length = position - start
    text.update(from: bytes + start, count: length)
    while position < count {
      var byte = bytes[position]
      position += 1
      if byte == UInt8(ascii: "\"") {
        room += length
        return Bytes(start: text, count: length)
      }
      guard byte >= 0x20 else { return nil }
      if byte == UInt8(ascii: "\\") {
        guard position < count, let character = Self.character(ofEscape: bytes[position]) else {
          return nil
        }
        byte = character
        position += 1
      }
      text[length] = byte
      length += 1
    }
    return nil
  }

  private static func character(ofEscape byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): byte
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    default: nil
    }
  }

  private mutating func number() -> JSONMembers.Value? {
    let start = position
    while position < count {
      switch bytes[position] {
      case 0x30...0x39, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"),
        UInt8(ascii: "+"):
        position += 1
        continue
      default: break
      }
      break
    }
    let number = Bytes(start: bytes + start, count: position - start)
    // JSON permits neither `+1` nor `01`.
    let digits = number.first == UInt8(ascii: "-") ? number.dropFirst() : number[...]
    guard let first = digits.first, (0x30...0x39).contains(first) else { return nil }
    if first == 0x30, digits.count > 1, (0x30...0x39).contains(digits[digits.startIndex + 1]) {
      return nil
    }
    if let integer = number.certainInteger { return .integer(integer) }
    return number.certainReal.map { .real($0) }
  }
}
