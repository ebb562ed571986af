import Apus

extension DatabaseValue {
  /// Returns the beginning of the value as a cell of a table shows it.
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

  /// The beginning of the value as it stands in a line of text, with a text in quotation marks.
  package var shownInLine: String {
    switch self {
    case .text(let text): "'\(text.excerpt(200))'"
    // The bytes are shown: with replacement characters for broken bytes, it would be another text.
    case .invalidText: description.excerpt(200)
    default: shown()
    }
  }
}
