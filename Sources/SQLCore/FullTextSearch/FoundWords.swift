import CSQLite

/// The positions, in bytes, at which the words that a search has found begin and end in a text. The
/// index does not store these positions, so the text is split into tokens once more.
struct FoundWords {
  /// The part of the text that is shown, as a range of bytes.
  private(set) var part: Range<Int>
  /// The found words in the shown part, as ranges of bytes in their order. Occurrences that share a
  /// token, or whose tokens share letters, are one range.
  private(set) var ranges: [Range<Int>] = []

  private let byteCount: Int
  /// The range of the tokens to show. The first token of the text has the number 0.
  private let shown: Range<Int>
  /// The ranges of the tokens to mark: one range for each occurrence. Occurrences that overlap have
  /// one common range.
  private let found: [Range<Int>]
  private let showsEnd: Bool
  /// The number of the token that is added next.
  private var token = 0
  /// The index of the range in `found` to which the next token may belong.
  private var next = 0
  private var start = 0

  /// Finds the words of the occurrences that begin in the token range `shown`. If `showsEnd` is
  /// true, the shown part of the text ends where the text ends. Otherwise it ends with the last
  /// token of the range.
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
    // A phrase that begins before the shown part is not marked. Otherwise the mark would begin in
    // the middle of the phrase.
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

  /// Whether the splitting into tokens can stop, because the rest of the text contains nothing more
  /// to mark or to show.
  private var isComplete: Bool {
    token >= shown.upperBound || showsEnd && next == found.count && token > shown.lowerBound
  }

  /// Adds the next token, whose bytes are `first..<last`. A faulty tokenizer may report bytes
  /// outside the text.
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

  /// Returns the shown part of the text, with `open` and `close` around each found word.
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
