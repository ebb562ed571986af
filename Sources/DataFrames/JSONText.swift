/// A JSON value. A number is kept as the text that the JSON has.
enum JSONText: Equatable {
  case null
  case bool(Bool)
  case number(String)
  case string(String)
  /// The text of an array or an object inside a cell.
  case nested(String)
}

/// A parser for an array of objects, the usual form of a table in JSON.
///
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc8259>
struct JSONReader {
  struct Object {
    let members: [(name: String, value: JSONText)]
    /// The line on which the object begins, from 1.
    let line: Int
  }

  private let bytes: [UInt8]
  private var position = 0
  private var line = 1
  private static let maximumDepth = 512

  init(_ text: String) {
    bytes = Array(text.utf8)
  }

  /// Returns the objects of the array, each with its members in their order.
  mutating func objects() throws -> [Object] {
    var objects: [Object] = []
    skipSpace()
    try expect("[")
    try list(end: "]") { reader in objects.append(try reader.object()) }
    skipSpace()
    guard position == bytes.count else { throw failure("there is text after the array") }
    return objects
  }

  private mutating func object() throws -> Object {
    let line = line
    var members: [(name: String, value: JSONText)] = []
    try expect("{")
    try list(end: "}") { reader in
      let name = try reader.string()
      reader.skipSpace()
      try reader.expect(":")
      reader.skipSpace()
      members.append((name, try reader.value()))
    }
    return Object(members: members, line: line)
  }

  /// Reads elements, separated by commas, up to the closing bracket `end`.
  private mutating func list(
    end: Unicode.Scalar, _ element: (inout JSONReader) throws -> Void
  ) throws {
    skipSpace()
    if take(end) { return }
    while true {
      skipSpace()
      try element(&self)
      skipSpace()
      if take(end) { return }
      try expect(",")
    }
  }

  private mutating func value() throws -> JSONText {
    guard position < bytes.count else { throw failure("a value is missing at the end") }
    switch bytes[position] {
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "["), UInt8(ascii: "{"):
      let start = position
      try skipNested(depth: 1)
      return .nested(String(decoding: bytes[start..<position], as: UTF8.self))
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return .number(try number())
    }
  }

  private mutating func skipNested(depth: Int) throws {
    guard depth < Self.maximumDepth else { throw failure("a value is nested too deeply") }
    let isObject = bytes[position] == UInt8(ascii: "{")
    position += 1
    try list(end: isObject ? "}" : "]") { reader in
      if isObject {
        _ = try reader.string()
        reader.skipSpace()
        try reader.expect(":")
        reader.skipSpace()
      }
      guard reader.position < reader.bytes.count else {
        throw reader.failure("a value is missing at the end")
      }
      let byte = reader.bytes[reader.position]
      if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{") {
        try reader.skipNested(depth: depth + 1)
      } else {
        _ = try reader.value()
      }
    }
  }

  private mutating func word(_ text: String, _ value: JSONText) throws -> JSONText {
    guard bytes[position...].starts(with: text.utf8) else { throw failure("not a JSON value") }
    position += text.utf8.count
    return value
  }

  private mutating func number() throws -> String {
    let start = position
    _ = take("-")
    let digits = skipDigits()
    let isZero = digits > 1 && bytes[position - digits] == UInt8(ascii: "0")
    var isComplete = digits > 0 && !isZero
    if take(".") { isComplete = isComplete && skipDigits() > 0 }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      isComplete = isComplete && skipDigits() > 0
    }
    guard isComplete else { throw failure("not a JSON value") }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func skipDigits() -> Int {
    let start = position
    while position < bytes.count, (0x30...0x39).contains(bytes[position]) { position += 1 }
    return position - start
  }

  private mutating func string() throws -> String {
    try expect("\"")
    var text: [UInt8] = []
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"): text += String(try escape()).utf8
      case 0..<0x20: throw failure("a string contains a control character")
      default: text.append(byte)
      }
    }
    throw failure("a string has no closing quotation mark")
  }

  private mutating func escape() throws -> Unicode.Scalar {
    guard position < bytes.count else { throw failure("a string has no closing quotation mark") }
    let byte = bytes[position]
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"):
      let unit = try hexadecimal()
      if let scalar = Unicode.Scalar(unit) { return scalar }
      // The first half of a surrogate pair: the other half must follow.
      guard UTF16.isLeadSurrogate(unit), take("\\"), take("u") else {
        throw failure("half a surrogate pair is missing")
      }
      let second = try hexadecimal()
      guard UTF16.isTrailSurrogate(second) else {
        throw failure("half a surrogate pair is missing")
      }
      let value = 0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
      guard let scalar = Unicode.Scalar(value) else { throw failure("not a surrogate pair") }
      return scalar
    default: throw failure("not an escape sequence of JSON")
    }
  }

  private mutating func hexadecimal() throws -> UInt16 {
    let digits = bytes[position...].prefix(4)
    guard digits.count == 4,
      digits.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
      let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw failure("\\u must be followed by four hexadecimal digits") }
    position += 4
    return unit
  }

  private mutating func skipSpace() {
    // All line breaks of the JSON are counted here, because a JSON string must not contain a line
    // break.
    while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) {
      if bytes[position] == 0x0A { line += 1 }
      position += 1
    }
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard position < bytes.count, bytes[position] == UInt8(ascii: scalar) else { return false }
    position += 1
    return true
  }

  private mutating func expect(_ scalar: Unicode.Scalar) throws {
    guard take(scalar) else {
      throw failure(
        position < bytes.count ? "\(scalar) is missing" : "\(scalar) is missing at the end")
    }
  }

  private func failure(_ message: String) -> DataFrameError {
    DataFrameError("the JSON, line \(line): \(message)")
  }
}

extension String {
  /// The text as a JSON string.
  var quotedJSON: String {
    var text = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }
}
