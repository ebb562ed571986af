import Apus
import Foundation

/// Rows as an array of JSON objects, one on each line, written one after another.
struct JSONRows {
  /// The names of the columns as JSON strings.
  private(set) var keys: [String] = []
  private var isFirst = true

  /// Sets the names of the columns. A repeated name gets a number, because the names of a JSON
  /// object must differ.
  mutating func names(_ names: [String]) {
    var seen: Set<String> = []
    keys = names.map { name in
      var key = name
      var number = 2
      while !seen.insert(key).inserted {
        key = "\(name)_\(number)"
        number += 1
      }
      return key.jsonLiteral
    }
  }

  mutating func row(_ values: [DatabaseValue]) -> String {
    let members = zip(keys, values).map { "\($0): \($1.json)" }
    defer { isFirst = false }
    return (isFirst ? "[\n  {" : ",\n  {") + members.joined(separator: ", ") + "}"
  }

  var end: String { isFirst ? "[]" : "\n]" }
}

extension DatabaseValue {
  /// The value as JSON. A BLOB is written in base64. A number that JSON cannot represent is written
  /// as a text. A text that is not UTF-8 is written as an object with its bytes in base64.
  package var json: String {
    switch self {
    case .null: "null"
    case .integer(let integer): String(integer)
    case .real(let real): real.isFinite ? String(real) : String(real).jsonLiteral
    case .text(let text): text.jsonLiteral
    case .invalidText(let bytes): "{\"bytes\": \"\(bytes.base64EncodedString())\"}"
    case .blob(let data): "\"\(data.base64EncodedString())\""
    }
  }
}

extension String {
  /// The text as JSON, with escapes for all characters on which a terminal would act.
  package var jsonLiteral: String {
    let short: [Unicode.Scalar: String] = [
      "\"": "\\\"", "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r",
    ]
    // All escaped characters are in Unicode's Basic Multilingual Plane, so four digits suffice.
    let text = escaped(short, where: \.isUnsafe) { digits in
      "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
    return "\"\(text)\""
  }
}
