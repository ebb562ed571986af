import CSQLite

/// The part of a row that a snippet shows: the tokens of a column that contain the most phrases of
/// a search.
///
/// The library chooses the part as FTS5 does. For each occurrence, it rates two parts:
/// - The first begins with the occurrence. It is then moved so that its occurrences are in the
///   middle.
/// - The second begins where the sentence of the occurrence begins.
///
/// A part gets 1,000 points for each phrase in it, and 1 point for each repetition of a phrase. A
/// part of the second kind gets 100 points more, or 120 if it begins where the text begins. The
/// part with the highest score is chosen.
struct Snippet {
  private(set) var column: Int
  private(set) var firstToken = 0
  private var score = 0
  /// The number of the trial in which each phrase was last counted. If a phrase was already counted
  /// in the current `trial`, it is a repetition.
  private var countedIn: [Int]
  private var trial = 0
  private let size: Int

  /// Chooses the part of `size` tokens with the highest score. If `wanted` is negative, the part
  /// may be in any column. Otherwise it is in the column `wanted`.
  init(of match: FTS5Match, inColumn wanted: Int, size: Int) throws(FTS5Stop) {
    column = max(wanted, 0)
    self.size = size
    countedIn = Array(repeating: 0, count: match.phraseCount)
    for column in 0..<match.columnCount where wanted < 0 || wanted == column {
      let occurrences = try match.occurrences(inColumn: column)
      guard !occurrences.isEmpty, let text = try match.text(ofColumn: column) else { continue }
      let count = try match.tokenCount(ofColumn: column)
      let sentences = count > size ? try SentenceStarts(of: text, match).tokens : []
      for occurrence in occurrences {
        try choose(occurrence.tokens.lowerBound, occurrences, sentences, column, count)
      }
    }
  }

  /// Rates the two parts that are tried for an occurrence, whose first token is `token`. Keeps the
  /// better of the two if it is also better than the best part so far.
  private mutating func choose(
    _ token: Int, _ occurrences: [FTS5Match.Occurrence], _ sentences: [Int], _ column: Int,
    _ count: Int
  ) throws(FTS5Stop) {
    guard token <= count else { throw FTS5Stop(code: ResultCode.corruptVirtualTable.rawValue) }
    if let (score, covered) = rate(token, occurrences), score > self.score {
      let centred = covered.lowerBound - (size - covered.count) / 2
      (self.score, self.column) = (score, column)
      firstToken = max(min(centred, count - size), 0)
    }
    let place = sentences.partitioningIndex { $0 > token }
    guard place > 0, sentences[place - 1] < token else { return }
    let sentence = sentences[place - 1]
    let score = (rate(sentence, occurrences)?.score ?? 0) + (sentence == 0 ? 120 : 100)
    if score > self.score {
      (self.score, self.column, firstToken) = (score, column, sentence)
    }
  }

  /// Returns the score of the part that begins with `token`, and the range of tokens from the first
  /// to the last occurrence in this part. Returns nil if the part has no occurrence.
  private mutating func rate(
    _ token: Int, _ occurrences: [FTS5Match.Occurrence]
  ) -> (score: Int, covered: Range<Int>)? {
    trial += 1
    var score = 0
    let first = occurrences.partitioningIndex { $0.tokens.lowerBound >= token }
    var last = first
    while last < occurrences.count, occurrences[last].tokens.lowerBound < token + size {
      let phrase = occurrences[last].phrase
      score += countedIn[phrase] == trial ? 1 : 1_000
      countedIn[phrase] = trial
      last += 1
    }
    guard last > first else { return nil }
    let start = occurrences[first].tokens.lowerBound
    return (score, start..<occurrences[last - 1].tokens.upperBound)
  }
}

/// The first tokens of the sentences of a text: the text's first token, and each token that follows
/// white space after a period or a colon.
private struct SentenceStarts {
  private(set) var tokens: [Int] = []
  private let text: UnsafeRawBufferPointer
  private var token = 0

  init(of text: UnsafeRawBufferPointer, _ match: FTS5Match) throws(FTS5Stop) {
    self.text = text
    try match.tokenize(text, into: &self) { state, flags, _, _, start, _ in
      if let state, flags & FTS5_TOKEN_COLOCATED == 0 {
        state.assumingMemoryBound(to: SentenceStarts.self).pointee.append(Int(start))
      }
      return SQLITE_OK
    }
  }

  private mutating func append(_ start: Int) {
    if token == 0 || isSentence(min(max(start, 0), text.count)) { tokens.append(token) }
    token += 1
  }

  private func isSentence(_ start: Int) -> Bool {
    var place = start
    while place > 0 {
      switch text[place - 1] {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        place -= 1
      case UInt8(ascii: "."), UInt8(ascii: ":"): return place < start
      default: return false
      }
    }
    return false
  }
}
