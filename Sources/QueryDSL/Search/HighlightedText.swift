import SQLCore

/// A text, with the ranges of the words that a full-text search found in it.
///
/// ```swift
/// for (title, text) in hits {
///   for range in text.ranges { mark(text.text[range]) }
/// }
/// ```
/// If the search finds a phrase, all its words are one range.
///
/// Only a query returns a `HighlightedText`, and no column can store it. To store the text, store
/// `text`.
public struct HighlightedText: Hashable, Sendable {
  /// The whole text, or a snippet of it, in which `…` stands for omitted parts.
  public let text: String
  /// The ranges of the words that were found, from the first to the last.
  public let ranges: [Range<String.Index>]

  /// Returns the text with marks before and after each found word.
  ///
  /// ```swift
  /// hit.text.marked { "<b>\(escaped($0))</b>" } others: { escaped($0) }
  /// ```
  /// - Parameters:
  ///   - mark: returns the text that replaces a found word.
  ///   - others: converts the text between found words, for example to escape it for HTML.
  public func marked(
    _ mark: (Substring) -> String, others: (Substring) -> String = { String($0) }
  ) -> String {
    var result = ""
    var start = text.startIndex
    for range in ranges {
      result += others(text[start..<range.lowerBound]) + mark(text[range])
      start = range.upperBound
    }
    return result + others(text[start...])
  }
}

extension HighlightedText: CustomStringConvertible {
  /// The text with each found word in square brackets, for a console or a log.
  public var description: String { marked { "[\($0)]" } }
}

extension HighlightedText: ColumnValue {
  /// TEXT.
  public static var storageClass: StorageClass { .text }

  /// Reads the text that `highlight` or `snippet` returns. The text has a mark before and after
  /// each found word.
  public init(_ cell: borrowing Cell) throws {
    self.init(marked: try cell.text())
  }

  /// Throws `ColumnValueError`. A highlighted text cannot be stored, because only the process that
  /// marked the text can read its marks.
  public func databaseValue(as form: StoredForm) throws -> DatabaseValue {
    throw ColumnValueError.unstorable(
      text, "a HighlightedText cannot be stored; store its `text`")
  }
}

extension HighlightedText {
  // No text contains these marks: they have a random number that never leaves the process.
  private static let secret = String(UInt64.random(in: .min ... .max), radix: 36)
  private static let open = "\u{2}\(secret)\u{3}"
  private static let close = "\u{2}/\(secret)\u{3}"

  /// The marks before and after a found word, as arguments of `highlight` and `snippet`.
  static var delimiters: [ExpressionNode] {
    [.value(BoundValue(open)), .value(BoundValue(close))]
  }

  /// Removes the marks from a text, and keeps the ranges of the words between them. The marks are
  /// found in bytes, because Swift may treat a mark and the character next to it as one character.
  init(marked: String) {
    let bytes = Array(marked.utf8)
    let marks = (open: Array(Self.open.utf8), close: Array(Self.close.utf8))
    var plain: [UInt8] = []
    plain.reserveCapacity(bytes.count)
    var offsets: [Range<Int>] = []
    var start: Int?
    var position = 0
    while position < bytes.count {
      let rest = bytes[position...]
      if rest.starts(with: marks.open) {
        start = plain.count
        position += marks.open.count
      } else if rest.starts(with: marks.close) {
        if let start { offsets.append(start..<plain.count) }
        start = nil
        position += marks.close.count
      } else {
        plain.append(bytes[position])
        position += 1
      }
    }
    let text = String(decoding: plain, as: UTF8.self)
    self.text = text
    ranges = offsets.map { range in
      text.utf8.index(
        text.startIndex, offsetBy: range.lowerBound)..<text.utf8.index(
          text.startIndex, offsetBy: range.upperBound)
    }
  }
}
