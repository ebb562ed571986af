import Apus
import Foundation

/// The text of a line of CSV.
///
/// NULL is an empty field, while an empty text or BLOB is `""`. A BLOB is written in base64. A text
/// that is not UTF-8 is `CAST(x'FF41' AS TEXT)` without quotation marks. A valid text that begins
/// in the same way is put in quotation marks.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc4180>
package enum CSVLine {
  package static func text(of values: [DatabaseValue], isTerminal: Bool) -> String {
    values.map { field($0, isTerminal: isTerminal) }.joined(separator: ",") + "\r\n"
  }

  private static func field(_ value: DatabaseValue, isTerminal: Bool) -> String {
    switch value {
    case .null: return ""
    case .integer(let integer): return String(integer)
    case .real(let real): return String(real)
    case .blob(let data): return data.isEmpty ? "\"\"" : data.base64EncodedString()
    case .invalidText: return value.description
    case .text(let text):
      let text = isTerminal ? text.escapedForTerminal(keepingLineBreaks: true) : text
      let isPlain =
        !text.isEmpty && !text.hasPrefix("CAST(x'")
        && text.utf8.allSatisfy { ![0x22, 0x2C, 0x0A, 0x0D].contains($0) }
        && text.first != " " && text.last != " "
      return isPlain ? text : "\"" + text.doublingQuotes + "\""
    }
  }
}

extension String {
  /// The text with each quotation mark doubled. The property compares Unicode scalars, because a
  /// quotation mark with a combining accent is another character in Swift.
  fileprivate var doublingQuotes: String {
    var text = ""
    for scalar in unicodeScalars {
      text.unicodeScalars.append(scalar)
      if scalar == "\"" { text.unicodeScalars.append(scalar) }
    }
    return text
  }
}
