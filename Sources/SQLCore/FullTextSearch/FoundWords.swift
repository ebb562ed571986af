import CSQLite

/// The places, in bytes, at which the found words of a text begin and end. A tokenizer splits the
/// text once more to find them.
struct FoundWords {
  /// The part of the text that is shown.
  private(set) var part: Range<Int>
  /// The ranges of found words in the part, in their order. Occurrences that share a token, or
  /// whose tokens share letters, are one range.
  private(set) var ranges: [Range<Int>] = []

  private let byteCount: Int
  /// The tokens of the part to show, and the tokens of each range of overlapping occurrences.
  private let shown: Range<Int>
  private let found: [Range<Int>]
  private let showsEnd: Bool
  /// The number of the next token, and the index of the range in `found` to which the token may
  /// belong.
  private var token = 0
  private var next = 0
  private var start = 0

  /// Finds the words of the occurrences that begin in the tokens `shown`. The part ends with the
  /// last of these tokens, or with the text if `showsEnd` is true.
  init(
    in text: UnsafeRawBufferPointer, of match: FTS5Match, _ occurrences: [FTS5Match.Occurrence],
    shown: Range<Int> = 0..<Int.max, showsEnd: Bool = true
  ) throws(FTS5Stop) {
    byteCount = text.count
    self.shown = shown
    self.showsEnd = showsEnd
    part = 0..<text.count
    var found: [Range<Int>] = []
    for tokens in occurrences.lazy.map(\.tokens) {
      if let last = found.last, tokens.lowerBound < last.upperBound {
        found[found.count - 1] = last.lowerBound..<max(last.upperBound, tokens.upperBound)
      } else {
        found.append(tokens)
      }
    }
    // Without this, a phrase that begins before the part would be marked from the middle.
    found.removeAll { $0.lowerBound < shown.lowerBound }
    self.found = found
    if found.isEmpty, shown.lowerBound == 0, showsEnd { return }
    try match.tokenize(text, into: &self) { state, flags, _, _, start, end in
      guard let state, flags & FTS5_TOKEN_COLOCATED == 0 else { return SQLITE_OK }
      let words = state.assumingMemoryBound(to: FoundWords.self)
      words.pointee.append(Int(start), Int(end))
      return words.pointee.isComplete ? SQLITE_DONE : SQLITE_OK
    }
    if showsEnd { part = part.lowerBound..<text.count }
  }

  /// Whether the rest of the text does not matter, because it contains nothing to mark or to show.
  private var isComplete: Bool {
    token >= shown.upperBound || showsEnd && next == found.count && token > shown.lowerBound
  }

  /// Adds the next token by its byte offsets. A faulty tokenizer may report wrong offsets.
  private mutating func append(_ first: Int, _ last: Int) {
    defer { token += 1 }
    guard shown.contains(token) else { return }
    let first = min(max(first, 0), byteCount)
    let last = min(max(last, first), byteCount)
    if token == shown.lowerBound, token > 0 { part = first..<byteCount }
    let isLast = token == shown.upperBound - 1
    if next < found.count {
      let tokens = found[next]
      if token == tokens.lowerBound { start = first }
      if token == tokens.upperBound - 1 || isLast && tokens.contains(token) {
        append(start..<max(start, last))
        next += 1
      }
    }
    if isLast { part = part.lowerBound..<max(part.lowerBound, last) }
  }

  private mutating func append(_ range: Range<Int>) {
    if let last = ranges.last, range.lowerBound < last.upperBound {
      ranges[ranges.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
    } else {
      ranges.append(range)
    }
  }

  /// Returns the part of the text with marks around the ranges.
  func marked(
    in text: UnsafeRawBufferPointer, _ open: UnsafeRawBufferPointer,
    _ close: UnsafeRawBufferPointer, before: UnsafeRawBufferPointer? = nil,
    after: UnsafeRawBufferPointer? = nil
  ) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(
      part.count + ranges.count * (open.count + close.count) + (before?.count ?? 0)
        + (after?.count ?? 0))
    if let before { result += before }
    var place = part.lowerBound
    func append(upTo end: Int) {
      guard end > place else { return }
      result += UnsafeRawBufferPointer(rebasing: text[place..<end])
      place = end
    }
    for range in ranges {
      append(upTo: range.lowerBound)
      result += open
      append(upTo: range.upperBound)
      result += close
    }
    append(upTo: part.upperBound)
    if let after { result += after }
    return result
  }
}
