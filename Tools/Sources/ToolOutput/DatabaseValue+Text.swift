import Apus

extension DatabaseValue {
  /// Returns the text that a cell of a table shows for the value. A text longer than `length` is
  /// cut.
  func shown(_ length: Int = 200) -> String {
    switch self {
    case .null: "NULL"
    case .integer(let integer): String(integer)
    case .real(let real): String(real)
    case .text(let text): text.excerpt(length)
    case .invalidText(let bytes): String(decoding: bytes, as: UTF8.self).excerpt(length)
    case .blob(let data): data.count == 1 ? "1 byte" : "\(data.count) bytes"
    }
  }

  /// The text that a line of output shows for the value. A text is in quotation marks, and is cut
  /// if it is long.
  package var shownInLine: String {
    switch self {
    case .text(let text): "'\(text.excerpt(200))'"
    // The bytes are shown in hexadecimal, because a text with replacement characters would be
    // another text.
    case .invalidText: description.excerpt(200)
    default: shown()
    }
  }
}
